import { vi } from 'vitest'
import { type ServerProcess, startProcess, temporaryFolder } from './gateway.ts'

/** A gateway in front of the nodes of a test, with the secrets that its first start has printed. */
export interface Served extends ServerProcess {
  readonly url: string
  readonly token: string
  /** A second credential, as an HTTP basic authentication header. */
  readonly basic: string
  readonly apiKey: string
  /** The number of successful calls that the platform reports. */
  reportedCalls(): Promise<number>
  /** Kills the gateway if it still runs, and removes its folder. */
  remove(): Promise<void>
}

const printedBlock =
  /running at (\S+)[^]* API key +(\S+)\n +token +(\S+)\n +username +(\S+)\n +password +(\S+)\n/

/** Starts `fairlead serve` with a new database. */
export async function serve(environment: Readonly<Record<string, string>>): Promise<Served> {
  const folder = await temporaryFolder()
  const gateway = await startProcess('serve', folder.path, {
    FAIRLEAD_PROBE_NODES: 'false',
    FAIRLEAD_LOG_LEVEL: 'warn',
    ...environment,
  })
  const [, url = '', apiKey = '', token = '', username = '', password = ''] = await vi.waitUntil(
    () => printedBlock.exec(gateway.output()),
    { timeout: 30_000, interval: 20 },
  )
  return {
    ...gateway,
    url,
    token,
    apiKey,
    basic: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`,
    reportedCalls: async () => {
      const response = await fetch(
        `${url}/v2/reporting/node-usage/?date_from=2020-01-01&date_to=2100-01-01`,
        {
          headers: { authorization: `Bearer ${apiKey}` },
        },
      )
      const text = await response.text()
      if (!response.ok) throw new Error(`${response.status} ${text}`)
      const { totals } = JSON.parse(text) as { totals: { requests: number; failed_requests: number } }
      return totals.requests - totals.failed_requests
    },
    remove: async () => {
      gateway.process.kill('SIGKILL')
      await folder.remove()
    },
  }
}
