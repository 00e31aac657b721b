// What programs of the pages take as given: each name stands for a value of the reader's own.

/** API key of the platform. */
declare const apiKey: string
/** Token of a node. */
declare const token: string
/** Address of a contract. */
declare const contract: string
/** Address of an account of Solana in base58. */
declare const wallet: string
