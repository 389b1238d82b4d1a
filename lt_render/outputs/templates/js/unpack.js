"use strict";
/* Unpacks what the page carries, first of all its other scripts: the only one that stands in the
   page as it is. Packed texts are compressed with zlib, in base64. */

function bytesOfBase64(text) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

/** What the element holds, as a Response: to be had as a text or as JSON, once. */
function unpacked(id) {
  const holder = document.getElementById(id);
  const packed = new Blob([bytesOfBase64(holder.textContent.trim())]);
  holder.textContent = ""; // it may be tens of megabytes, and is not needed again
  return new Response(packed.stream().pipeThrough(new DecompressionStream("deflate")));
}

function refuse(text) {
  const loading = document.getElementById("loading");
  loading.classList.add("failed");
  loading.textContent = text;
}

async function runScripts() {
  if (typeof DecompressionStream === "undefined") {
    refuse("This browser cannot unpack the report: open it with Chrome 123, Firefox 121, Safari 17.5 or later.");
    return;
  }
  try {
    const script = document.createElement("script");
    script.textContent = await unpacked("packed-scripts").text();
    document.body.append(script); // the page's policy knows its hash
  } catch {
    refuse("The scripts in this report cannot be read: the file is cut short or altered. Render it again.");
  }
}

runScripts();
