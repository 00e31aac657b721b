/**
 * The sentences of all errors, and the links to their reference.
 *
 * @module
 */
import type { AttemptDetails, ErrorCode, ErrorDetails } from './error-details.ts'
import { sendsTransaction } from './sends-transaction.ts'

/** The text of an error. */
export interface ErrorText {
  /** Cause, next step, code and link, in at most 1,000 characters. */
  readonly message: string
  /** One sentence without ids, numbers and URLs, equal for all errors of a code. */
  readonly shortMessage: string
  /** Link to the section of the code in the reference of errors. */
  readonly docsUrl?: string | undefined
}

const reference = 'https://github.com/fairlead-dev/fairlead/blob/main/docs/reference/errors.md'
const longestMessage = 1_000

/** What the texts of one code consist of. Sentences have no period, because details may end with one. */
interface Sentences<details> {
  readonly shortMessage: string
  cause(details: details): string
  nextStep(details: details): string
}

const sentences: { readonly [code in ErrorCode]: Sentences<ErrorDetails[code]> } = {
  CONFIG_INVALID: {
    shortMessage: 'An option is invalid.',
    cause: ({ option, rule }) => `Invalid value of ${option}: ${rule}`,
    nextStep: () => 'Correct the value',
  },
  TRANSPORT_TIMEOUT: {
    shortMessage: 'The server did not respond before the timeout.',
    cause: ({ operation, attempt, timeoutMs, reason }) =>
      attempt === 0
        ? withReason(`${operation} was not sent within ${timeoutMs} ms`, reason)
        : withReason(`${operation} got no response within ${timeoutMs} ms in attempt ${attempt}`, reason),
    nextStep: (details) => transportStep(details, 'Retry the call, or increase timeoutMs'),
  },
  TRANSPORT_FAILED: {
    shortMessage: 'The connection to the server failed.',
    cause: ({ operation, attempt, reason }) =>
      attempt === 0
        ? withReason(`${operation} was not sent`, reason)
        : withReason(`${operation} failed without a response in attempt ${attempt}`, reason),
    nextStep: (details) => transportStep(details, 'Check the URL, the network and the server, then retry'),
  },
  TRANSPORT_CLOSED: {
    shortMessage: 'The connection was closed and does not reconnect.',
    cause: ({ operation, closeCode, reason }) =>
      withReason(`${operation} failed because the connection was closed with code ${closeCode}`, reason),
    nextStep: ({ closeCode }) =>
      [3000, 3003, 4401, 4403].includes(closeCode)
        ? 'Check the credential and its permissions, then create a new client'
        : 'Create a new client',
  },
  HTTP_STATUS: {
    shortMessage: 'The server returned an HTTP error.',
    cause: ({ operation, status, detail, requestId }) =>
      withReason(
        `${operation} failed with HTTP ${status}${requestId === undefined ? '' : ` (request ${requestId})`}`,
        detail,
      ),
    nextStep: ({ status }) => httpStep(status),
  },
  RPC_ERROR: {
    shortMessage: 'The node returned a JSON-RPC error.',
    cause: ({ operation, rpcCode, detail }) =>
      withReason(`${operation} failed with JSON-RPC error ${rpcCode}`, detail),
    nextStep: rpcStep,
  },
  RPC_QUORUM: {
    shortMessage: 'Too few upstreams returned the same response.',
    cause: ({ operation, needed, agreed, asked }) =>
      `${operation} failed because ${agreed} of ${asked} upstreams returned the same response and ${needed} are needed`,
    nextStep: () => 'Check that the upstreams are synced, and query a block by its number or hash',
  },
  GRPC_STATUS: {
    shortMessage: 'The server returned a gRPC error.',
    cause: ({ operation, status, statusName, detail }) =>
      withReason(`${operation} failed with gRPC status ${statusName ?? status}`, detail),
    nextStep: ({ status }) => grpcSteps[status] ?? 'Check the request and the logs of the server',
  },
  STREAM_OVERFLOW: {
    shortMessage: 'The stream was read too slowly.',
    cause: ({ operation, capacity }) => `${operation} ended because its buffer of ${capacity} items is full`,
    nextStep: () => 'Read the stream faster, increase the capacity, or choose a policy that drops items',
  },
  STREAM_GAP: {
    shortMessage: 'The stream cannot deliver missed items.',
    cause: ({ operation, reason, firstAvailableSlot }) =>
      withReason(`${operation} ended`, reason) +
      (firstAvailableSlot === undefined ? '' : ` (the first available slot is ${firstAvailableSlot})`),
    nextStep: () => 'Read the missed items from another source, then start a new stream',
  },
  DECODE_INVALID: {
    shortMessage: 'The received data violates the interface.',
    cause: ({ operation, path, rule }) => `${operation} received invalid data at ${path}: ${rule}`,
    nextStep: () => 'Check that the data comes from a server of this protocol',
  },
}

/**
 * Describes an error: its sentences, and the link to its section in the reference.
 *
 * `FairleadError` has these texts as properties already, except in a bundle for browsers, which omits the sentences.
 *
 * @param code - code of the error
 * @param details - details of the error
 * @returns message, short message and link
 * @example
 * ```ts
 * if (FairleadError.is(error)) console.error(describeError(error.code, error.details).message)
 * ```
 */
export function describeError<code extends ErrorCode>(
  code: code,
  details: ErrorDetails[code],
): ErrorText & { readonly docsUrl: string } {
  const { shortMessage, cause, nextStep } = sentences[code]
  const docsUrl = `${reference}#${code.toLowerCase()}`
  const ending = ` ${nextStep(details)}. (${code}, ${docsUrl})`
  return { message: sentence(cause(details), longestMessage - ending.length) + ending, shortMessage, docsUrl }
}

/** Formats a text of a server or a runtime as one line that ends with a period, in at most `longest` characters. */
function sentence(text: string, longest: number): string {
  const line = text.slice(0, longest - 1).replaceAll(/[\s\p{Cc}]+/gu, ' ')
  // Half of a surrogate pair is not a character.
  if (text.length >= longest) return `${line.replace(/[\uD800-\uDBFF]$/, '')}…`
  return line.replace(/[ .:]*$/, (_, at: number) => (/[!?]/.test(line[at - 1] ?? '') ? '' : '.'))
}

function withReason(failure: string, reason: string | undefined): string {
  return reason?.trim() ? `${failure}: ${reason}` : failure
}

function transportStep({ operation, attempt }: AttemptDetails, otherwise: string): string {
  if (attempt === 0) return 'Retry later, and check that the server is reachable'
  return sendsTransaction(operation)
    ? 'The transaction may have been sent: look it up before you send it again'
    : otherwise
}

function httpStep(status: number): string {
  if (status === 401) return 'Check the credential'
  if (status === 403) return 'Check the permissions of the credential'
  if (status === 404) return 'Check the URL, and that the object exists'
  if ([408, 429, 502, 503, 504].includes(status)) return 'Retry later'
  return status < 500 ? 'Check the request' : 'Check the logs of the server'
}

const rpcSteps: Readonly<Record<number, string>> = {
  3: 'Decode the reason of the revert from details.data, with decodeRevert for example',
  429: 'Retry later',
  4444: 'Use a node that has the history of this block',
  [-32_000]: 'Correct the call',
  [-32_001]: 'Use a block that the node has, or retry later',
  [-32_004]: 'Use a method that the node supports',
  [-32_005]: 'Retry later, or reduce the query',
  [-32_041]: 'Check the credential',
  [-32_600]: 'Check the request',
  [-32_601]: 'Use a method that the node supports',
  [-32_602]: 'Correct the parameters',
  [-32_603]: 'Retry later, or check the upstream node',
  [-32_700]: 'Send JSON',
}

function rpcStep({ rpcCode, data }: ErrorDetails['RPC_ERROR']): string {
  const { reason, retry_after_ms: waitMs, rule } = (data ?? {}) as Readonly<Record<string, unknown>>
  if (typeof waitMs === 'number') return `Retry after ${waitMs} ms`
  if (reason === 'quota') return 'Wait until the quota resets, or increase it'
  if (typeof rule === 'string') return 'Change the access rules of the endpoint, or the call'
  return rpcSteps[rpcCode] ?? 'Check the call and the logs of the node'
}

/** Next steps by gRPC status. */
const grpcSteps: Readonly<Record<number, string>> = {
  1: 'Start the call again if the cancellation was not intended',
  3: 'Correct the request',
  4: 'Retry the call, or increase timeoutMs',
  5: 'Check that the object exists',
  7: 'Check the permissions of the token',
  8: 'Retry later, or reduce the rate of the calls',
  11: 'Use a slot that the server has',
  12: 'Use a method that the server supports',
  14: 'Retry later',
  16: 'Check the token',
}
