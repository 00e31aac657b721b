import { ApiError } from '@lodestar/api/server'
import { NotFound } from '../chain/not-found.ts'
import { Refused } from '../chain/refused.ts'

/** One item of a batch that was refused. */
export interface ItemFailure {
  /** Position in the request's list. */
  index: number
  message: string
}

/** Some items of a batch were refused; the others have been processed. */
export class BatchRefused extends Error {
  override readonly name = 'BatchRefused'
  readonly failures: readonly ItemFailure[]

  /** @param failures What is wrong with which item; at least one. */
  constructor(failures: readonly ItemFailure[]) {
    super(`Refused items: ${failures.length}.`)
    this.failures = failures
  }
}

/** An error as the interface words it. */
export interface ErrorResponse {
  status: number
  body: { code: number; message: string; failures?: readonly ItemFailure[] }
}

/**
 * Gives every item of a batch to a function and collects what it refuses, so that one bad item stops no other.
 *
 * @param items The batch.
 * @param accept Takes one item and throws `Refused` when it is not acceptable.
 * @throws BatchRefused when at least one item was refused.
 */
export async function acceptEach<item>(
  items: readonly item[],
  accept: (item: item) => void | Promise<void>,
): Promise<void> {
  const failures: ItemFailure[] = []
  for (const [index, item] of items.entries()) {
    try {
      await accept(item)
    } catch (error) {
      if (!(error instanceof Refused)) throw error
      failures.push({ index, message: error.message })
    }
  }
  if (failures.length > 0) throw new BatchRefused(failures)
}

/**
 * Words an error for the client; what is not meant for it becomes a bare 500.
 *
 * @param error Whatever a route threw.
 * @returns HTTP status and JSON body.
 */
export function toErrorResponse(error: unknown): ErrorResponse {
  if (error instanceof BatchRefused) {
    return { status: 400, body: { code: 400, message: error.message, failures: error.failures } }
  }
  if (error instanceof ApiError) return plain(error.statusCode, error.message)
  if (error instanceof Refused) return plain(400, error.message)
  if (error instanceof NotFound) return plain(404, error.message)
  if (isInvalidRequest(error)) return plain(400, describeInvalid(error.validation[0]))
  // The server's own refusals: malformed JSON, a body that is too large or of an unknown media type.
  if (isHttpRefusal(error)) return plain(error.statusCode, error.message)
  return plain(500, 'The node met an internal error.')
}

function plain(code: number, message: string): ErrorResponse {
  return { status: code, body: { code, message } }
}

interface SchemaFault {
  instancePath: string
  message?: string
}

function isInvalidRequest(error: unknown): error is { validation: SchemaFault[] } {
  return error instanceof Error && 'validation' in error && Array.isArray(error.validation)
}

function describeInvalid(fault: SchemaFault | undefined): string {
  const name = fault?.instancePath.split('/').at(-1) ?? ''
  return `${name === '' ? 'The request' : name} ${fault?.message ?? 'is not valid'}.`
}

function isHttpRefusal(error: unknown): error is { statusCode: number; message: string } {
  return (
    error instanceof Error &&
    'statusCode' in error &&
    typeof error.statusCode === 'number' &&
    error.statusCode >= 400 &&
    error.statusCode < 500
  )
}
