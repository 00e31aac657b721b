import { decodeLeniently } from '../uri.ts'

/**
 * The value of the `Authorization` header that an upstream address asks for; undefined when it holds no credentials.
 *
 * @param url - an upstream address, user name and password percent-encoded
 * @see RFC 7617
 */
export function authorizationOf({ username, password }: URL): string | undefined {
  if (!username && !password) return undefined
  return `Basic ${Buffer.from(`${decodeLeniently(username)}:${decodeLeniently(password)}`).toString('base64')}`
}

/**
 * Everything in an upstream address that would tell a client where the node is or how to get in.
 *
 * @returns texts to take out of what a node says
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
    password,
    decodeLeniently(password),
    authorizationOf(url)?.slice('Basic '.length) ?? '',
    ...searchParams.values(),
  ]
  // Taken out of a message, a shorter text would leave nothing to read, and hides nothing.
  // One may begin another.
  return parts.filter((part) => part.length > 3).toSorted((one, other) => other.length - one.length)
}

// Services take keys as parts of the path, and quote them alone.
function isKey(part: string): boolean {
  return part.length >= 16 || (part.length >= 8 && /\d/.test(part))
}
