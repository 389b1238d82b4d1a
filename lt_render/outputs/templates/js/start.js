"use strict";
/* Starts the page: the one script that does something by itself. */

async function start() {
  const loading = byId("loading");
  showTheme(theme());
  const refuse = (text) => {
    loading.classList.add("failed");
    loading.textContent = text;
  };
  if (typeof DecompressionStream === "undefined") {
    refuse("This browser cannot unpack the report: open it with Chrome 123, Firefox 121, Safari 17.5 or later.");
    return;
  }
  let data;
  try {
    data = await unpack();
  } catch {
    refuse("The data in this report cannot be read: the file is cut short or altered. Render it again.");
    return;
  }
  loading.hidden = true;
  byId("app").hidden = false;
  new Page(new Trace(data));
}

start();
