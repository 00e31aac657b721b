import type { Configuration } from '../configuration/options.ts'
import { examineAddresses } from './examine-addresses.ts'
import { examineMachine } from './examine-machine.ts'
import { examineStore } from './examine-store.ts'
import { examineUpstreams } from './examine-upstreams.ts'
import type { Finding } from './finding.ts'

/**
 * Checks everything that a gateway with this configuration needs. It changes nothing.
 *
 * @param configuration - parsed configuration
 * @returns the findings, in the order in which a gateway needs the checked parts
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
