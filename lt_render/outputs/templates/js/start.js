"use strict";
/* Starts the page, once all other scripts are there. */

async function start() {
  showTheme(theme());
  let data;
  try {
    data = await unpacked("trace-data").json();
  } catch {
    refuse("The data in this report cannot be read: the file is cut short or altered. Render it again.");
    return;
  }
  byId("loading").hidden = true;
  byId("app").hidden = false;
  new Page(new Trace(data));
}

start();
