/** Chain id of the development chain: the usual id of a local chain in wallets and tools. */
export const evmChainId = 31337

// A full node stores the same number of states. Anvil writes every stored state completely at each save, so storing all
// of them makes both the file and the time to write it grow with the square of the chain length.
const maxStates = 128

// By default the engine also writes its state every minute, even without changes.
const neverSeconds = 100 * 365 * 24 * 3600

/**
 * Returns the command line of the EVM engine.
 *
 * @param port Loopback port to listen on.
 * @param stateFile State to load; without it the chain is fresh.
 * @param exitStateFile Where the engine writes its state when it receives a shutdown signal.
 * @returns Arguments for the program.
 */
export function anvilArguments(port: number, stateFile: string | undefined, exitStateFile: string): string[] {
  return [
    '--host=127.0.0.1',
    `--port=${port}`,
    `--chain-id=${evmChainId}`,
    // Without this option, any web page in the developer's browser could read and change the chain.
    '--no-cors',
    // Blocks keep the order in which transactions arrived, so system transactions can be first.
    '--order=fifo',
    // Without this option, struct logs of mined transactions are empty.
    '--steps-tracing',
    '--preserve-historical-states',
    `--prune-history=${maxStates}`,
    // Errors are still printed; only the line per call is omitted.
    '--silent',
    `--dump-state=${exitStateFile}`,
    `--state-interval=${neverSeconds}`,
    ...(stateFile === undefined ? [] : [`--load-state=${stateFile}`]),
  ]
}
