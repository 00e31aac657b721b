import { type ServerProcess, startProcess, temporaryFolder } from '@fairlead/e2e-tests/gateway'
import { vi } from 'vitest'

/** A gateway that is started repeatedly with the same records. */
export interface RestartedGateway {
  /**
   * Starts it, each time on a different port.
   *
   * @param knownKey - the API key, if another gateway has created the records and printed the key
   */
  start(knownKey?: string): Promise<RunningGateway>
  remove(): Promise<void>
}

/** A running gateway. */
export interface RunningGateway extends ServerProcess {
  readonly url: string
  /** An API key with all scopes. */
  readonly apiKey: string
}

/** Creates a gateway in a separate folder. */
export async function restartedGateway(
  environment: Readonly<Record<string, string>>,
): Promise<RestartedGateway> {
  const folder = await temporaryFolder()
  let apiKey: string | undefined
  return {
    start: async (knownKey) => {
      const gateway = await startProcess('serve', folder.path, {
        FAIRLEAD_PROBE_NODES: 'false',
        FAIRLEAD_LOG_LEVEL: 'warn',
        ...environment,
      })
      const url = await printed(gateway, /running at (\S+)/)
      // Printed only once.
      apiKey ??= knownKey ?? (await printed(gateway, / API key +(\S+)\n/))
      return { ...gateway, url, apiKey }
    },
    remove: () => folder.remove(),
  }
}

async function printed({ output }: ServerProcess, form: RegExp): Promise<string> {
  return await vi.waitUntil(() => form.exec(output())?.[1], { timeout: 30_000, interval: 20 })
}
