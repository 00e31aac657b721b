import { waitUntil } from '@fairlead/gateway-core/wait-until'
import { Status, type StatusCode } from '@fairlead/grpc-transport/wire'
import type { Grant } from '@fairlead/gateway-core/grants/grant'
import type { Admission, Requester } from '@fairlead/gateway-core/admission/types'
import type { Directory } from '@fairlead/gateway-core/authentication/directory'
import type { ProxiedCall } from './proxied-call.ts'
import { guardedInterval } from '@fairlead/http1'

/** A call that is open, with what it may be ended by. */
export interface OpenCall {
  readonly call: ProxiedCall
  readonly grant: Grant
  /** Who called, for rules that change while the call is open. */
  readonly requester: Requester
  /** Whether the call may stay open for ever, as far as is known by now. */
  isStream(): boolean
}

/** The calls that are open, each for as long as its credential is in force. */
export interface OpenCalls {
  add(open: OpenCall): void
  delete(open: OpenCall): void
  /** Ends the streams, and after the given time also the calls that are then still open. */
  stop(drainMs: number): Promise<void>
}

// A credential may end by itself, of which no snapshot tells.
const expiryMs = 250
const lookMs = 20

/** Makes the set of calls that are open. */
export function createOpenCalls(directory: Directory, admission: Admission): OpenCalls {
  const calls = new Set<OpenCall>()
  const endUnentitled = () => {
    for (const open of calls) {
      const end = lostEntitlement(open, directory.current(open.grant.credentialId), admission)
      if (end) open.call.terminate(...end)
    }
  }
  const endHearing = directory.onReplaced(endUnentitled)
  const expiry = guardedInterval(endUnentitled, expiryMs).unref()
  const shutDown = ({ call }: OpenCall) => call.terminate(Status.UNAVAILABLE, 'The service is shutting down.')
  return {
    add: (open) => void calls.add(open),
    delete: (open) => void calls.delete(open),
    stop: async (drainMs) => {
      const endStreams = () => {
        for (const open of calls) if (open.isStream()) shutDown(open)
        return calls.size === 0
      }
      await waitUntil(endStreams, drainMs, lookMs)
      for (const open of calls) shutDown(open)
      endHearing()
      clearInterval(expiry)
    },
  }
}

function lostEntitlement(
  { grant, requester }: OpenCall,
  current: Grant | undefined,
  admission: Admission,
): [StatusCode, string] | undefined {
  if (!current) return [Status.UNAUTHENTICATED, 'The credential is no longer in force.']
  if (current === grant) return undefined
  const rejection = admission.checkRequester(current, 'grpc', requester)
  if (rejection) {
    const isRule = rejection.data !== undefined
    return [Status.PERMISSION_DENIED, isRule ? rejection.reason : 'The node no longer offers this protocol.']
  }
  return current.upstreams['grpc'] === grant.upstreams['grpc']
    ? undefined
    : [Status.UNAVAILABLE, 'The node has moved.']
}
