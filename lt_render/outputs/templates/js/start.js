"use strict";
/* Starts the page, once all other scripts are there. */

startWith((data) => new Page(new Trace(data)), "Render it again.");
