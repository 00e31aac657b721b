/** Version of the Solana runtime that the engine is made of, which both interfaces tell as that of the node. */
export const runtimeVersion = '4.3.0'
