import { basicAuthorization, FairleadError } from '@fairlead/core'
import { redactPlain } from '@fairlead/gateway-core/redaction/redact-plain'
import { decodeLeniently } from '@fairlead/gateway-core/uri'

/** A URL to probe, parsed so that its secrets are never shown. */
export interface ProbeTarget {
  /** URL to connect to, without user name and password. */
  readonly url: string
  /** Contains the user name and password as a header, if there are any. */
  readonly headers: Readonly<Record<string, string>>
  /** Scheme and host, without parts that may be a secret. */
  readonly display: string
  /**
   * Removes every part of the URL that may be a secret from a text of the upstream, and limits the text to one line.
   */
  clean(text: string): string
}

const maxLineLength = 120

// Path segments that occur in many URLs and do not reveal a token.
const commonSegment =
  /^(api|bc|beacon|c|chain|eth|ethereum|evm|ext|json-?rpc|mainnet|node|rpc|testnet|v\d+|ws)$/i

/**
 * Parses the URL of an upstream.
 *
 * @param text - URL; it may contain a token in its path or query, or `user:password@`
 * @param schemes - allowed schemes
 * @param option - name of the option in errors
 * @throws FairleadError `CONFIG_INVALID`, without any part of the URL
 */
export function probeTarget(text: string, schemes: readonly string[], option: string): ProbeTarget {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !schemes.includes(url.protocol.slice(0, -1)) || url.hostname === '') {
    const rule = `must be a URL that begins with ${schemes.map((scheme) => `${scheme}://`).join(' or ')}`
    throw new FairleadError('CONFIG_INVALID', { option, rule })
  }
  const username = decodeLeniently(url.username)
  const password = decodeLeniently(url.password)
  const secrets = new Set([text, username, password])
  const headers: Record<string, string> = {}
  if (username || password) {
    const authorization = basicAuthorization({ kind: 'basic', username, password })
    headers['authorization'] = authorization
    secrets.add(authorization.slice('Basic '.length))
  }
  for (const segment of url.pathname.split('/')) {
    if (!commonSegment.test(segment)) secrets.add(segment).add(decodeLeniently(segment))
  }
  for (const value of url.searchParams.values()) secrets.add(value)
  if (url.search !== '') secrets.add(url.search.slice(1))
  for (const label of url.hostname.split('.')) if (isSecretLabel(label)) secrets.add(label)
  url.username = ''
  url.password = ''
  url.hash = ''
  // The longest first, because a secret may contain another one.
  const all = [...secrets].filter((secret) => secret !== '').toSorted((a, b) => b.length - a.length)
  return {
    url: url.href,
    headers,
    display: `${url.protocol}//${url.host
      .split('.')
      .map((label) => (isSecretLabel(label) ? '***' : label))
      .join('.')}`,
    clean: (line) => printable(redactPlain(line, all)).slice(0, maxLineLength),
  }
}

// Some providers put the token into the host name. Chosen names do not look like this.
function isSecretLabel(label: string): boolean {
  return label.length >= 16 && /\d/.test(label) && /[a-z]/i.test(label)
}

function printable(text: string): string {
  return text.replaceAll(/[^\p{L}\p{M}\p{N}\p{P}\p{S}]+/gu, ' ').trim()
}
