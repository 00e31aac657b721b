import type { operations } from '@fairlead/platform-client/contract'
import type { FastifyRequest } from 'fastify'
import { PlatformError } from './platform-error.ts'

/** Name of the parameter that every list is paged by. */
export const pageParameter = 'page' satisfies keyof NonNullable<
  operations['listProjects']['parameters']['query']
>

// A name or an address with an optional port; everything else in a Host header is somebody's attempt at something.
const plainHost = /^([A-Za-z0-9]([A-Za-z0-9.-]{0,252})|\[[0-9A-Fa-f:.]{2,45}\])(:\d{1,5})?$/

/** The parts of a list's envelope around its results. */
export interface Envelope {
  readonly count: number
  readonly next: string | null
  readonly previous: string | null
}

/** What the links of a list are made of. */
export interface PageLinks {
  /** Address of the list without parameters. */
  readonly address: string
  /** The parameters that the client gave, the page included. */
  readonly given: Readonly<Record<string, string>>
}

/** Which page of a list is asked for. */
export interface PageQuery {
  readonly page: number
  readonly page_size: number
}

/** Where a page begins and how long it is, for the query of a list. */
export function rangeOf({ page, page_size: limit }: PageQuery): {
  readonly limit: number
  readonly offset: number
} {
  const offset = (page - 1) * limit
  // Beyond what a database can count lies no page.
  if (!Number.isSafeInteger(offset)) throw invalidPage()
  return { limit, offset }
}

/** The envelope of one page. Throws when the page does not exist; the first one always does. */
export function envelope(count: number, query: PageQuery, links: PageLinks): Envelope {
  const { page, page_size: size } = query
  const last = Math.max(1, Math.ceil(count / size))
  if (page > last) throw invalidPage()
  return {
    count,
    next: page < last ? linkTo(page + 1, links) : null,
    previous: page > 1 ? linkTo(page - 1, links) : null,
  }
}

/** The answer to a page that is no number or that the list does not have. */
export function invalidPage(): PlatformError {
  return new PlatformError('not_found', { message: 'Invalid page.' })
}

/**
 * The address under which the client reaches this service: the configured one, else what the Host header says when it is
 * a plain host and port, else where the connection ends.
 */
export function baseAddress(publicUrl: string | undefined, request: FastifyRequest): string {
  if (publicUrl !== undefined) return publicUrl.replace(/\/+$/, '')
  const { host, protocol } = request
  const given = `${protocol}://${host}`
  // A port above 65535 and a name such as `a.999` are plain, and no URL.
  if (plainHost.test(host) && URL.canParse(given)) return given
  const { localAddress, localPort } = request.socket
  if (localAddress === undefined) return `${protocol}://localhost`
  return `${protocol}://${localAddress.includes(':') ? `[${localAddress}]` : localAddress}:${localPort ?? 80}`
}

function linkTo(page: number, { address, given }: PageLinks): string {
  const parameters = new URLSearchParams(given)
  if (page === 1) parameters.delete(pageParameter)
  else parameters.set(pageParameter, String(page))
  parameters.sort()
  const query = parameters.toString()
  return query === '' ? address : `${address}?${query}`
}
