import { basicAuthorization, FairleadError, redact } from '@fairlead/core'
import { decodeLeniently } from '@fairlead/gateway-core/uri'

/** An address to probe, taken apart so that the secrets in it are never shown. */
export interface ProbeTarget {
  /** Where to connect, without user name and password. */
  readonly url: string
  /** Carries user name and password, if there are any. */
  readonly headers: Readonly<Record<string, string>>
  /** Scheme and host, and nothing that may be a secret. */
  readonly shown: string
  /** Removes every part of the address that may be a secret from a text of the node, and cuts the text to a line. */
  clean(text: string): string
}

const longestLine = 120

// Parts of a path that stand in many addresses and that nobody can guess a token from.
const commonSegment =
  /^(api|bc|beacon|c|chain|eth|ethereum|evm|ext|json-?rpc|mainnet|node|rpc|testnet|v\d+|ws)$/i

/**
 * Takes the address of a node apart.
 *
 * @param text - URL; it may hold a token in its path or query, or `user:password@`
 * @param schemes - what it may begin with
 * @param option - what an error calls it
 * @throws FairleadError `CONFIG_INVALID`, without a word of the address
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
  // The longest first: a secret may stand inside of another one.
  const all = [...secrets].filter((secret) => secret !== '').toSorted((a, b) => b.length - a.length)
  return {
    url: url.href,
    headers,
    shown: `${url.protocol}//${url.host
      .split('.')
      .map((label) => (isSecretLabel(label) ? '***' : label))
      .join('.')}`,
    clean: (line) => printable(redact(line, all)).slice(0, longestLine),
  }
}

// Some providers put the token into the name of the host; a word that people chose does not look like this.
function isSecretLabel(label: string): boolean {
  return label.length >= 16 && /\d/.test(label) && /[a-z]/i.test(label)
}

function printable(text: string): string {
  return text.replaceAll(/[^\p{L}\p{M}\p{N}\p{P}\p{S}]+/gu, ' ').trim()
}
