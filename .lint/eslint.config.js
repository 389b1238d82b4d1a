/* Lints the report's scripts. They are classic scripts that share one scope: for each of them the
   top-level names of the others are globals, and a name that none of them uses is unused. */

import { readFileSync, readdirSync } from "node:fs";
import { basename } from "node:path";

import js from "@eslint/js";
import { parse } from "espree";
import globals from "globals";

const FOLDER = "lt_render/outputs/templates/js";

const scripts = readdirSync(FOLDER).filter((name) => name.endsWith(".js")).map((name) => {
  const text = readFileSync(`${FOLDER}/${name}`, "utf8");
  const program = parse(text, { ecmaVersion: "latest", tokens: true });
  return {
    name,
    declares: program.body.flatMap(declared),
    mentions: new Set(program.tokens.filter((token) => token.type === "Identifier").map((token) => token.value)),
  };
});

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
      const own = basename(context.filename);
      const elsewhere = scripts.filter(({ name }) => name !== own);
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

const namesOfOthers = scripts.map(({ name }) => ({
  files: [`${FOLDER}/${name}`],
  languageOptions: {
    globals: Object.fromEntries(
      scripts.filter((other) => other.name !== name).flatMap((other) => other.declares).map((of) => [of, "readonly"])),
  },
}));

export default [
  { files: [`${FOLDER}/*.js`], ...js.configs.recommended },
  {
    files: [`${FOLDER}/*.js`],
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
