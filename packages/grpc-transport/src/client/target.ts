/** Host and port of a server, without secrets. */
export interface Target {
  readonly isSecure: boolean
  readonly host: string
  readonly port: number
  /** Value of `:authority`: the host, and the port if it is not the default. */
  readonly authority: string
}

/**
 * Parses the URL of a server.
 *
 * @throws TypeError for any other form; the message does not contain the URL
 */
export function readTarget(url: string): Target {
  const parsed = URL.canParse(url) ? new URL(url) : undefined
  if (
    parsed === undefined ||
    !/^https?:$/.test(parsed.protocol) ||
    `${parsed.username}${parsed.password}${parsed.search}${parsed.hash}` !== '' ||
    parsed.pathname !== '/'
  ) {
    throw new TypeError('url must be https://host[:port] or http://host:port without anything else')
  }
  const isSecure = parsed.protocol === 'https:'
  return {
    isSecure,
    host: parsed.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: parsed.port === '' ? (isSecure ? 443 : 80) : Number(parsed.port),
    authority: parsed.host,
  }
}
