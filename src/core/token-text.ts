/** A bearer token within a text; its parts are bounded so that any text is scanned about once. */
export const TOKEN = /eyJ[\w-]{8,200}\.[\w-]{8,}\.[\w-]{16,}/g;
