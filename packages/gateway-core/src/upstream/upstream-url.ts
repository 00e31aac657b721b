import { decodeLeniently } from '../uri.ts'

/**
 * The value of the `Authorization` header for an upstream URL; undefined when the URL contains no credentials.
 *
 * @param url - an upstream URL, with percent-encoded user name and password
 * @see RFC 7617
 */
export function authorizationOf({ username, password }: URL): string | undefined {
  if (!username && !password) return undefined
  return `Basic ${Buffer.from(`${decodeLeniently(username)}:${decodeLeniently(password)}`).toString('base64')}`
}

/**
 * Everything in an upstream URL that would reveal the location of the upstream or its credentials to a client.
 *
 * @returns texts to redact from the upstream's messages
 */
export function secretsOfUrl(url: URL): readonly string[] {
  const { host, hostname, pathname, username, password, searchParams } = url
  const parts = [
    url.origin,
    host,
    hostname,
    pathname.replace(/\/$/, ''),
    ...pathname.split('/').filter(isKey),
    username,
    decodeLeniently(username),
    authorizationOf(url)?.slice('Basic '.length) ?? '',
    ...searchParams.values(),
  ]
  const passwords = [password, decodeLeniently(password)].filter((part) => part !== '')
  // Shorter values are versions and names of chains, unless they stand behind their names.
  const shortValues = [...searchParams].filter(([, value]) => value !== '' && value.length < minPartLength)
  return [
    ...parts.filter((part) => part.length >= minPartLength),
    ...passwords,
    ...shortValues.map((pair) => pair.join('=')),
    // Longest first, because one part may be the beginning of another.
  ].toSorted((one, other) => other.length - one.length)
}

const minPartLength = 4

// Providers use API keys as path segments, and may quote a segment alone.
function isKey(part: string): boolean {
  return part.length >= 16 || (part.length >= 8 && /\d/.test(part))
}
