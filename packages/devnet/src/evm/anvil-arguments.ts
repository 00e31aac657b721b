/** Chain id of the development chain: the one that wallets and tools know as a local chain. */
export const evmChainId = 31337

// A full node keeps as many states. Anvil writes every kept state out in full whenever it saves, so keeping all of
// them makes both the file and the time to write it grow with the square of the chain's length.
const keptStates = 128

// Left alone, the engine also writes its state every minute, whether anything has changed or not.
const neverS = 100 * 365 * 24 * 3600

/**
 * Command line of the EVM engine.
 *
 * @param port Loopback port to listen on.
 * @param stateFile State to begin with; without it the chain is fresh.
 * @param exitStateFile Where the engine writes its state when it is asked to end.
 * @returns Arguments for the program.
 */
export function anvilArguments(port: number, stateFile: string | undefined, exitStateFile: string): string[] {
  return [
    '--host=127.0.0.1',
    `--port=${port}`,
    `--chain-id=${evmChainId}`,
    // Without this header a web page that a developer happens to have open cannot read or move anything here.
    '--no-cors',
    // Blocks keep the order in which transactions came in, so system transactions can stand first.
    '--order=fifo',
    // Struct logs of mined transactions stay empty otherwise.
    '--steps-tracing',
    '--preserve-historical-states',
    `--prune-history=${keptStates}`,
    // Errors are printed all the same; what falls away is a line per call.
    '--silent',
    `--dump-state=${exitStateFile}`,
    `--state-interval=${neverS}`,
    ...(stateFile === undefined ? [] : [`--load-state=${stateFile}`]),
  ]
}
