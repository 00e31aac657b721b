import { ApiError } from '@lodestar/api/server'
import { NotFound } from '../chain/not-found.ts'
import { Refused } from '../chain/refused.ts'

/** A rejected item of a batch. */
export interface ItemFailure {
  /** Position in the request's list. */
  index: number
  message: string
}

/** Some items of a batch were rejected; the others have been processed. */
export class BatchRefused extends Error {
  override readonly name = 'BatchRefused'
  readonly failures: readonly ItemFailure[]

  /**
   * @param failures The rejected items with their reasons; at least one.
   */
  constructor(failures: readonly ItemFailure[]) {
    super(`Refused items: ${failures.length}.`)
    this.failures = failures
  }
}

/** An error in the format of the beacon node API. */
export interface ErrorResponse {
  status: number
  body: { code: number; message: string; failures?: readonly ItemFailure[] }
}

/**
 * Passes every item of a batch to a function and collects the rejections, so that an invalid item does not stop the
 * others.
 *
 * @param items The batch.
 * @param accept Processes one item and throws `Refused` when it is not acceptable.
 * @throws BatchRefused when at least one item was rejected.
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
 * Converts an error to a response; an error that is not intended for the client becomes a 500 without details.
 *
 * @param error Any error that a route threw.
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
  // Rejections by the HTTP server: malformed JSON, a body that is too large or has an unknown media type.
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
