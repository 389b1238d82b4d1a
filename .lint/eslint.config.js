/* Lints the pages' scripts. Those of a page are classic scripts that share one scope: for each of them
   the top-level names of the others are globals, and a name that none of them uses is unused. */

import { readFileSync, readdirSync } from "node:fs";

import js from "@eslint/js";
import { parse } from "espree";
import globals from "globals";

const TEMPLATES = "lt_render/outputs/templates";
// The report's scripts; the other pages have some of them beside their own.
const REPORT = "js";
const FOLDERS = [REPORT, "comparison", "index"];

const scripts = FOLDERS.flatMap((folder) => readdirSync(`${TEMPLATES}/${folder}`).filter((name) => name.endsWith(".js")).map((name) => {
  const path = `${TEMPLATES}/${folder}/${name}`;
  const program = parse(readFileSync(path, "utf8"), { ecmaVersion: "latest", tokens: true });
  return {
    folder,
    name,
    path,
    declares: program.body.flatMap(declared),
    mentions: new Set(program.tokens.filter((token) => token.type === "Identifier").map((token) => token.value)),
  };
}));

// Each page has a start of its own.
const onOnePage = (one, other) =>
  one !== other && (one.folder === other.folder || (one.name !== other.name && [one, other].some(({ folder }) => folder === REPORT)));

function declared(statement) {
  if (statement.id) return [statement.id.name];
  return (statement.declarations ?? []).map(({ id }) => id.name);
}

// Of a window's own names only those that nobody writes by mistake for a name of their own.
const TAKEN_BY_MISTAKE = ["close", "closed", "event", "find", "focus", "blur", "length", "name", "open", "origin", "parent", "print", "self", "scroll", "status", "stop", "top"];
const browser = Object.fromEntries(Object.entries(globals.browser).filter(([name]) => !TAKEN_BY_MISTAKE.includes(name)));

const usedSomewhere = {
  create: (context) => ({
    Program(program) {
      const own = scripts.find(({ path }) => context.filename.endsWith(path));
      const elsewhere = scripts.filter((other) => onOnePage(own, other));
      const here = context.sourceCode.ast.tokens.map((token) => token.value);
      for (const statement of program.body) {
        for (const name of declared(statement)) {
          const uses = here.filter((value) => value === name).length;
          if (uses > 1 || elsewhere.some(({ mentions }) => mentions.has(name))) continue;
          context.report({ node: statement, message: `No script uses '${name}'.` });
        }
      }
    },
  }),
};

const namesOfOthers = scripts.map((own) => ({
  files: [own.path],
  languageOptions: {
    globals: Object.fromEntries(
      // The report's scripts know nothing of the other pages.
      scripts.filter((other) => onOnePage(own, other) && [own.folder, REPORT].includes(other.folder))
        .flatMap((other) => other.declares).filter((name) => !own.declares.includes(name)).map((name) => [name, "readonly"])),
  },
}));

export default [
  { files: [`${TEMPLATES}/**/*.js`], ...js.configs.recommended },
  {
    files: [`${TEMPLATES}/**/*.js`],
    languageOptions: { ecmaVersion: 2023, sourceType: "script", globals: browser },
    linterOptions: { reportUnusedDisableDirectives: "error" },
    plugins: { report: { rules: { "used-somewhere": usedSomewhere } } },
    rules: {
      "array-callback-return": "error",
      "arrow-body-style": "error",
      "consistent-return": "error",
      "default-case-last": "error",
      eqeqeq: "error",
      "logical-assignment-operators": "error",
      "max-lines": ["error", 400],
      "no-alert": "error",
      "no-console": "error",
      "no-constructor-return": "error",
      "no-else-return": ["error", { allowElseIf: true }],
      "no-eval": "error",
      "no-implicit-coercion": ["error", { allow: ["!!", "+"] }],
      "no-implied-eval": "error",
      "no-lonely-if": "error",
      "no-new-func": "error",
      "no-promise-executor-return": "error",
      "no-redeclare": "error",
      "no-self-compare": "error",
      "no-template-curly-in-string": "error",
      "no-unneeded-ternary": "error",
      "no-unreachable-loop": "error",
      "no-unused-expressions": "error",
      // What stands at the top may be for another script: report/used-somewhere tells.
      "no-unused-vars": ["error", { vars: "local", args: "after-used" }],
      "no-useless-concat": "error",
      "no-useless-return": "error",
      "no-var": "error",
      "object-shorthand": "error",
      "prefer-const": ["error", { destructuring: "all" }],
      "prefer-template": "error",
      "require-atomic-updates": "error",
      "report/used-somewhere": "error",
      strict: ["error", "global"],
      "symbol-description": "error",
      // What the trace says reaches the page as text only.
      "no-restricted-properties": ["error",
        ...["innerHTML", "outerHTML", "insertAdjacentHTML"].map((property) => ({ property, message: "Texts reach the page through appendText() or h()." })),
        { object: "document", property: "write", message: "Texts reach the page through appendText() or h()." }],
    },
  },
  ...namesOfOthers,
];
