import { createRestFetch, FairleadError, type HttpOptions } from '@fairlead/core'
import createFetchClient, { type Client } from 'openapi-fetch'
import type { paths } from './generated/index.ts'

/** Options of {@link createPlatformClient}. */
export interface PlatformClientOptions extends HttpOptions {
  /** URL of the platform API without a path, for example `https://api.example.com`. HTTPS, or HTTP on loopback. */
  readonly baseUrl: string
  /**
   * API key, sent as a bearer token. Without it, requests of a console page are authenticated by the session cookie.
   */
  readonly apiKey?: string | undefined
}

/** A client of the platform API. `GET`, `POST` and the other methods are typed by path. */
export interface PlatformClient extends Client<paths> {
  readonly baseUrl: string
}

/**
 * Creates a client of the platform API.
 *
 * @param options - URL and, outside of the console, API key; `fetch`, `timeoutMs` and `retries` as for every client
 * @returns a client; each call resolves to `{ data, error, response }`, and `unwrap` returns the data or throws the
 *   error
 * @throws FairleadError `CONFIG_INVALID` when the URL is not HTTPS (or loopback) or the key is not a valid header value
 * @example
 * ```ts
 * const platform = createPlatformClient({ baseUrl: 'https://api.example.com', apiKey })
 * const { data, error } = await platform.GET('/v1/organization/')
 * ```
 * @see specs/platform/openapi.yaml
 */
export function createPlatformClient({ baseUrl, apiKey, ...http }: PlatformClientOptions): PlatformClient {
  // Otherwise the runtime would reject them later, with the key or the URL in its message.
  if (!allowedBaseUrl.test(baseUrl)) {
    throw new FairleadError('CONFIG_INVALID', {
      option: 'baseUrl',
      rule: 'must be https, or http on loopback',
    })
  }
  if (!/^[!-~]+$/.test(apiKey ?? '-')) {
    throw new FairleadError('CONFIG_INVALID', { option: 'apiKey', rule: 'must be ASCII' })
  }
  const headers = { authorization: apiKey && `Bearer ${apiKey}` }
  const fetch = createRestFetch(http, [apiKey ?? ''])
  return { ...createFetchClient<paths>({ baseUrl, headers, fetch }), baseUrl }
}

const allowedBaseUrl = /^http(s:\/\/[^/]|:\/\/(localhost|127[.\d]+|\[::1\])(?![^:/]))[^\s?#@]*$/
