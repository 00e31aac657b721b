/** Address of the node without credentials; vite.config.ts writes it in. */
declare const NODE_URL: string
/** Credential of the node for this page. */
declare const NODE_TOKEN: string
