/** The parts of a request that name its host. */
export interface HostFields {
  /** Names and values in turn, with the pseudo-header fields of HTTP/2. */
  readonly rawHeaders: readonly string[]
  /** Request target; over HTTP/1.1 it can be an absolute URL. */
  readonly url?: string | undefined
}

/**
 * Whether a request names more than one host: by several Host fields, or by one that differs from `:authority` or from
 * the authority of its target. Recipients that use different ones would disagree about the addressed site.
 *
 * @see RFC 9112, section 3.2, and RFC 9113, section 8.3.1
 */
export function hasConflictingHost({ rawHeaders, url = '' }: HostFields): boolean {
  let [, scheme = 'http', authority] = /^(https?):\/\/([^/?#]*)/i.exec(url) ?? []
  let host: string | undefined
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? ''
    const value = rawHeaders[at + 1] ?? ''
    if (name === ':authority') authority = value
    else if (name === ':scheme') scheme = value
    else if (name.length === 4 && name.toLowerCase() === 'host') {
      if (host !== undefined) return true
      host = value
    }
  }
  if (authority === undefined || host === undefined || authority === host) return false
  return normalized(authority, scheme) !== normalized(host, scheme)
}

/** Names of hosts are case-insensitive, and the port of the scheme is optional. */
function normalized(host: string, scheme: string): string {
  return host.toLowerCase().replace(scheme.toLowerCase() === 'https' ? /:443$/ : /:80$/, '')
}
