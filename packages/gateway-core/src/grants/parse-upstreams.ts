import { FairleadError } from '@fairlead/core'

/** The roles of an upstream; an upstream without roles serves every call. */
export const upstreamRoles = ['full', 'archive', 'debug', 'trace'] as const

/** One of {@link upstreamRoles}. */
export type UpstreamRole = (typeof upstreamRoles)[number]

/** One of the upstreams of a node. */
export interface UpstreamRecord {
  /** URL without the fragment, which only the gateway reads. It may contain credentials and is never shown. */
  readonly address: string
  readonly roles: readonly UpstreamRole[]
  /** Share of the calls among equally healthy upstreams; 1 when omitted. */
  readonly weight: number
  /** Maximum number of calls per second; unlimited when omitted. */
  readonly requestsPerSecond?: number | undefined
  /** Maximum number of calls in a batch; 1 = the upstream receives no batches. */
  readonly maxBatchedCalls: number
  /** PEM file with the CA that signed the upstream's certificate, when it is a private CA. */
  readonly certificateAuthorityFile?: string | undefined
  /** File with the secret of the JSON Web Tokens in the requests to the upstream. */
  readonly jwtSecretFile?: string | undefined
  /** Whether the upstream is cordoned: it receives no calls for now. */
  readonly isCordoned: boolean
}

/**
 * Parses the upstreams of one protocol: URLs separated by whitespace. The fragment of each URL, which is never sent,
 * contains its settings:
 * `https://a.example#roles=archive,debug;weight=2;rps=50;batch=5;ca=/etc/ca.pem;jwt=/etc/jwt.hex;cordoned`.
 *
 * @param text - the text as in the configuration and in the records; `devnet` stands for the embedded chain
 * @param option - names the text in errors
 * @throws FairleadError `CONFIG_INVALID` that names the option and the rule, never the URL
 */
export function parseUpstreams(text: string, option = 'upstream'): readonly UpstreamRecord[] {
  return text
    .split(/\s+/)
    .filter((entry) => entry !== '')
    .map((entry) => parseUpstream(entry, option))
}

/** The upstreams that are not cordoned; empty when the text is undefined or cannot be parsed. */
export function usedUpstreams(text: string | undefined): readonly UpstreamRecord[] {
  return upstreamsOrNone(text).filter(({ isCordoned }) => !isCordoned)
}

/** As {@link parseUpstreams}; the result is empty when the text is undefined or cannot be parsed. */
export function upstreamsOrNone(text: string | undefined): readonly UpstreamRecord[] {
  try {
    return parseUpstreams(text ?? '')
  } catch {
    // The error was reported when the text was written; the text contains credentials.
    return []
  }
}

function parseUpstream(entry: string, option: string): UpstreamRecord {
  const [address = '', fragment = ''] = entry.split('#', 2)
  const parameters = new Map<string, string>()
  for (const part of fragment.split(';').filter((text) => text !== '')) {
    const [name = '', value = ''] = part.split('=', 2)
    parameters.set(name, value)
  }
  const reject = (rule: string): never => {
    throw new FairleadError('CONFIG_INVALID', { option, rule })
  }
  for (const name of parameters.keys()) {
    if (!parts.has(name)) reject(`must have no parameters after # other than ${[...parts].join(', ')}`)
  }
  const roles = parameters.get('roles')?.split(',') ?? []
  if (!roles.every(isRole)) reject(`must have roles from the list ${upstreamRoles.join(', ')}`)
  const number = (name: string) => {
    const written = parameters.get(name)
    if (written === undefined) return undefined
    return /^[1-9]\d{0,6}$/.test(written)
      ? Number(written)
      : reject(`must have a positive integer as ${name}`)
  }
  const file = (name: string) =>
    parameters.get(name) === '' ? reject(`must have a file name as ${name}`) : parameters.get(name)
  const jwtSecretFile = file('jwt')
  if (jwtSecretFile !== undefined && hasUserInformation(address)) {
    reject('must have either user information or jwt, because both set the Authorization header')
  }
  return {
    address,
    roles: roles.filter(isRole),
    weight: number('weight') ?? 1,
    requestsPerSecond: number('rps'),
    maxBatchedCalls: number('batch') ?? defaultBatchSize,
    certificateAuthorityFile: file('ca'),
    jwtSecretFile,
    isCordoned:
      parameters.has('cordoned') &&
      (parameters.get('cordoned') === '' || reject('must have no value for cordoned')),
  }
}

const parts: ReadonlySet<string> = new Set(['roles', 'weight', 'rps', 'batch', 'ca', 'jwt', 'cordoned'])
// Large enough to make the cost per request small, and small enough for upstreams that process one call after the
// other.
const defaultBatchSize = 20

function hasUserInformation(address: string): boolean {
  const { username = '', password = '' } = URL.parse(address) ?? {}
  return username !== '' || password !== ''
}

function isRole(role: string): role is UpstreamRole {
  return (upstreamRoles as readonly string[]).includes(role)
}
