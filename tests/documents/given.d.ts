// Values that the programs of the pages assume. Each name represents a value of the reader.

/** API key of the platform. */
declare const apiKey: string
/** Token of a node. */
declare const token: string
/** Address of a contract. */
declare const contract: string
/** Address of a Solana account in base58. */
declare const wallet: string
