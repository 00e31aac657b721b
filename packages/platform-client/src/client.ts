import { createRestFetch, FairleadError, type HttpOptions } from '@fairlead/core'
import createFetchClient, { type Client } from 'openapi-fetch'
import type { paths } from './generated/index.ts'

export interface PlatformClientOptions extends HttpOptions {
  /** Address of the platform API without a path, for example `https://api.example.com`. HTTPS, or HTTP on loopback. */
  readonly baseUrl: string
  /** API key, sent as a bearer token. Without one, a page of the console is known by the cookie of its session. */
  readonly apiKey?: string | undefined
}

/** The platform API: `GET`, `POST` and their siblings typed by path. */
export interface PlatformClient extends Client<paths> {
  readonly baseUrl: string
}

/**
 * Makes a client of the platform API.
 *
 * @param options - address and, anywhere but in the console, API key; `fetch`, `timeoutMs` and `retries` as for every client
 * @returns a client; each call answers `{ data, error, response }`, and `unwrap` turns that into data or an error thrown
 * @throws FairleadError `CONFIG_INVALID` when the address is not HTTPS (or loopback) or no header can carry the key
 * @example
 * ```ts
 * const platform = createPlatformClient({ baseUrl: 'https://api.example.com', apiKey })
 * const { data, error } = await platform.GET('/v1/organization/')
 * ```
 * @see specs/platform/openapi.yaml
 */
export function createPlatformClient({ baseUrl, apiKey, ...http }: PlatformClientOptions): PlatformClient {
  // What the runtime would refuse later, it would refuse with the key or the address in its message.
  if (!safeAddress.test(baseUrl)) {
    throw new FairleadError('CONFIG_INVALID', {
      option: 'baseUrl',
      rule: 'must be https, or http on loopback',
    })
  }
  if (!/^[!-~]+$/.test(apiKey ?? '-')) {
    throw new FairleadError('CONFIG_INVALID', { option: 'apiKey', rule: 'must be ASCII' })
  }
  const headers = { authorization: apiKey && `Bearer ${apiKey}` }
  const fetch = createRestFetch(http, apiKey ? [apiKey] : [])
  return { ...createFetchClient<paths>({ baseUrl, headers, fetch }), baseUrl }
}

const safeAddress = /^http(s:\/\/[^/]|:\/\/(localhost|127[.\d]+|\[::1\])(?![^:/]))[^\s?#@]*$/
