import { ConnectionGuard, type AccessLoss } from '@fairlead/gateway-core/authentication/connection-guard'
import type { Directory } from '@fairlead/gateway-core/authentication/directory'
import type { Admission, Requester } from '@fairlead/gateway-core/admission/types'
import type { Grant } from '@fairlead/gateway-core/grants/grant'
import { waitUntil } from '@fairlead/runtime'
import { Status, type StatusCode } from '@fairlead/grpc-transport/wire'
import type { ProxiedCall } from './proxied-call.ts'

/** An open call, and what may end it. */
export interface OpenCall {
  readonly call: ProxiedCall
  readonly grant: Grant
  /** The caller, for access rules that change while the call is open. */
  readonly requester: Requester
  /** Whether the call may stay open indefinitely, as far as is known so far. */
  isStream(): boolean
  /** @returns whether the call continues at an upstream of the current grant */
  renew(grant: Grant): boolean
  end(loss: AccessLoss): void
}

/** The open calls. Each stays open only while its credential is valid. */
export interface OpenCalls {
  add(open: OpenCall): void
  delete(open: OpenCall): void
  /** Ends the streams, and after the given time also the calls that are still open. */
  stop(drainMs: number): Promise<void>
}

const pollMs = 20

/** Creates the set of open calls. */
export function createOpenCalls(directory: Directory, admission: Admission): OpenCalls {
  const calls = new Set<OpenCall>()
  const guard = new ConnectionGuard({ protocol: 'grpc', directory, admission })
  const shutDown = ({ call }: OpenCall) => call.terminate(Status.UNAVAILABLE, 'The gateway is shutting down.')
  return {
    add: (open) => {
      calls.add(open)
      guard.add(open)
    },
    delete: (open) => {
      calls.delete(open)
      guard.delete(open)
    },
    stop: async (drainMs) => {
      const endStreams = () => {
        for (const open of calls) if (open.isStream()) shutDown(open)
        return calls.size === 0
      }
      await waitUntil(endStreams, drainMs, pollMs)
      for (const open of calls) shutDown(open)
      guard.close()
    },
  }
}

/** The status of a call whose credential is no longer valid for it. */
export function statusOfLoss({ cause, reason = '' }: AccessLoss): [StatusCode, string] {
  switch (cause) {
    case 'revoked':
    case 'expired':
      return [Status.UNAUTHENTICATED, 'The credential is no longer valid.']
    case 'rule':
      return [Status.PERMISSION_DENIED, reason]
    case 'protocol':
      return [Status.PERMISSION_DENIED, 'The node no longer offers this protocol.']
    case 'moved':
      return [Status.UNAVAILABLE, 'The upstreams of the node have changed. Start the call again.']
    default:
      return cause satisfies never
  }
}
