/* Lints the report's styles: the standard set, less what is only about empty lines and spelling. */

import { resolve } from "node:path";

export default {
  extends: ["stylelint-config-standard"],
  // Every variable that is used must be known from one of these.
  referenceFiles: [
    resolve("lt_render/outputs/templates/css/theme.css"),
    resolve(".lint/set-by-scripts.css"),
  ],
  rules: {
    "no-unknown-custom-properties": true,
    "at-rule-empty-line-before": null,
    "comment-empty-line-before": null,
    "custom-property-empty-line-before": null,
    "declaration-empty-line-before": null,
    "rule-empty-line-before": null,
    // Both values of light-dark() are of one length.
    "color-hex-length": null,
    // Fonts have names with capitals; max-width reads better than a range.
    "value-keyword-case": null,
    "media-feature-range-notation": null,
    // It reports selectors that can never be of the same element.
    "no-descending-specificity": null,
  },
};
