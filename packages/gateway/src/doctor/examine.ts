import type { Configuration } from '../configuration/options.ts'
import { examineAddresses } from './examine-addresses.ts'
import { examineMachine } from './examine-machine.ts'
import { examineStore } from './examine-store.ts'
import { examineUpstreams } from './examine-upstreams.ts'
import type { Finding } from './finding.ts'

/**
 * Looks at everything that a service of this configuration needs, and changes nothing.
 *
 * @param configuration - parsed configuration
 * @returns what was found, in the order in which a service would come to need it
 */
export async function examine(configuration: Configuration): Promise<readonly Finding[]> {
  const findings = await Promise.all([
    examineMachine(configuration),
    examineAddresses(configuration),
    examineStore(configuration),
    examineUpstreams(configuration),
  ])
  return findings.flat()
}
