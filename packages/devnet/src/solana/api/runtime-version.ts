/** Version of the Solana runtime in the engine; both APIs report it as their server version. */
export const runtimeVersion = '4.3.0'
