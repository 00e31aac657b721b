import type { operations } from '@fairlead/platform-client/contract'
import type { FastifyRequest } from 'fastify'
import { PlatformError } from './platform-error.ts'

/** Name of the page number parameter of every list. */
export const pageParameter = 'page' satisfies keyof NonNullable<
  operations['listProjects']['parameters']['query']
>

// A host name or IP address with an optional port; any other Host header is treated as malicious.
const plainHost = /^([A-Za-z0-9]([A-Za-z0-9.-]{0,252})|\[[0-9A-Fa-f:.]{2,45}\])(:\d{1,5})?$/

/** The envelope of a list, without its results. */
export interface Envelope {
  readonly count: number
  readonly next: string | null
  readonly previous: string | null
}

/** Inputs of the page links of a list. */
export interface PageLinks {
  /** URL of the list without parameters. */
  readonly address: string
  /** The parameters of the request, including the page. */
  readonly parameters: Readonly<Record<string, string>>
}

/** The requested page of a list. */
export interface PageQuery {
  readonly page: number
  readonly page_size: number
}

/** Converts a page to the limit and offset of a database query. */
export function rangeOf({ page, page_size: limit }: PageQuery): {
  readonly limit: number
  readonly offset: number
} {
  const offset = (page - 1) * limit
  // An offset above Number.MAX_SAFE_INTEGER is beyond any page.
  if (!Number.isSafeInteger(offset)) throw invalidPage()
  return { limit, offset }
}

/** Builds the envelope of one page. Throws when the page does not exist; the first page always exists. */
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

/** Creates the error for a page that is not a number or does not exist. */
export function invalidPage(): PlatformError {
  return new PlatformError('not_found', { message: 'Invalid page.' })
}

/**
 * Returns the URL under which the client reaches the gateway: the configured one, otherwise the one in the Host header
 * if it is a plain host and port, otherwise the local IP address and port of the connection.
 */
export function baseAddress(publicUrl: string | undefined, request: FastifyRequest): string {
  if (publicUrl !== undefined) return publicUrl.replace(/\/+$/, '')
  const { host, protocol } = request
  const address = `${protocol}://${host}`
  // Ports above 65535 and names such as `a.999` match the pattern but are not valid in a URL.
  if (plainHost.test(host) && URL.canParse(address)) return address
  const { localAddress, localPort } = request.socket
  if (localAddress === undefined) return `${protocol}://localhost`
  return `${protocol}://${localAddress.includes(':') ? `[${localAddress}]` : localAddress}:${localPort ?? 80}`
}

function linkTo(page: number, { address, parameters: requested }: PageLinks): string {
  const parameters = new URLSearchParams(requested)
  if (page === 1) parameters.delete(pageParameter)
  else parameters.set(pageParameter, String(page))
  parameters.sort()
  const query = parameters.toString()
  return query === '' ? address : `${address}?${query}`
}
