import type * as devnet from '@fairlead/devnet'
import { CommandFailure } from '../cli/exit-codes.ts'

/**
 * Loads the embedded chains. They are an optional peer dependency, because an installation with real upstreams needs no
 * chain engines.
 *
 * @throws CommandFailure `DEVNET_NOT_INSTALLED`, with the command that installs them
 */
export async function loadDevnet(): Promise<typeof devnet> {
  try {
    return await import('@fairlead/devnet')
  } catch (error) {
    if (!isMissing(error)) throw error
    throw new CommandFailure(
      '[DEVNET_NOT_INSTALLED] The embedded chains are not installed. In the directory of @fairlead/gateway, run ' +
        '`npm install @fairlead/devnet` (with `--global` for a global installation), or run both packages without installation: ' +
        '`npx --package @fairlead/gateway --package @fairlead/devnet fairlead dev`.',
    )
  }
}

// Excludes modules that the embedded chains themselves lack.
function isMissing(error: unknown): boolean {
  return (
    error instanceof Error &&
    'code' in error &&
    error.code === 'ERR_MODULE_NOT_FOUND' &&
    error.message.includes("'@fairlead/devnet'")
  )
}
