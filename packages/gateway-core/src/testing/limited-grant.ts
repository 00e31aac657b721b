import { sha256Hex } from '../credentials/secret.ts'
import type { CredentialRecord, Grant } from '../grants/grant.ts'
import { type Admission, type Permit, isRejection, type Rejection } from '../admission/types.ts'
import { type CallCost, ordinaryCost } from '../usage/units.ts'
import { type AdmissionOptions, createAdmission, type BuiltinAdmission } from '../admission/admission.ts'

/** A grant with the changes of a test. */
export function grantWith(change: Partial<Grant> = {}): Grant {
  return {
    credentialId: 'credential',
    kind: 'token',
    nodeId: 'node',
    projectId: 'project',
    organizationId: 'organization',
    chain: 'evm',
    network: 'devnet',
    protocols: ['evm'],
    upstreams: {},
    ...change,
  }
}

/** Returns the record of a node of another organization with the upstreams of a first one; none without a token. */
export function secondNode(token: string | undefined, grant: Grant): readonly CredentialRecord[] {
  if (token === undefined) return []
  return [
    {
      sha256: sha256Hex(token),
      grant: {
        ...grant,
        credentialId: 'second-credential',
        nodeId: 'second-node',
        projectId: 'second-project',
        organizationId: 'second-organization',
      },
    },
  ]
}

/** Creates an admission without effective limits, with the changes of a test. */
export function admissionWith(change: Partial<AdmissionOptions> = {}): BuiltinAdmission {
  return createAdmission({
    requestsPerSecond: 0,
    maxConcurrentCalls: 1_000_000,
    maxTotalConcurrentCalls: 10_000_000,
    maxQueuedCalls: 1_000,
    queueMs: 10_000,
    load: { isOverloaded: false, close: () => undefined },
    ...change,
  })
}

/** Makes a call that completes at once. */
export function call(
  admission: Admission,
  grant: Grant,
  method = 'eth_chainId',
  cost: CallCost = ordinaryCost,
): 'passed' | Rejection {
  const decision = begin(admission, grant, method, cost)
  if (isRejection(decision)) return decision
  decision.release()
  return 'passed'
}

/** Begins a call that must not be queued. */
export function begin(
  admission: Admission,
  grant: Grant,
  method = 'eth_chainId',
  cost: CallCost = ordinaryCost,
): Permit | Rejection {
  const decision = admission.admit(grant, method, cost, new AbortController().signal)
  if (decision instanceof Promise) throw new Error('The call waits.')
  return decision
}
