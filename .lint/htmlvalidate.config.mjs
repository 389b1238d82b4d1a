/* Lints the report's markup as it is before its scripts have run. */

export default {
  extends: ["html-validate:recommended"],
  rules: {
    "doctype-style": ["error", { style: "lowercase" }],
    // The title is filled in by a script.
    "empty-heading": "off",
    // A list whose entries are only those in sight is none of <ul>; a region gets its role with its name.
    "prefer-native-element": ["error", { exclude: ["list", "region"] }],
  },
};
