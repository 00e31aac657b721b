/** URL of the node without credentials. vite.config.ts inserts it. */
declare const NODE_URL: string
/** Credential of the node for this page. */
declare const NODE_TOKEN: string
