import { chmodSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { FairleadError } from '@fairlead/core'
import type { DevelopmentFile } from '../development/development-file.ts'
import { parseJson } from '@fairlead/gateway-core/json'

/** A named gateway of the command line. */
export interface Profile {
  readonly url: string
  /** API key; `keyFile` may instead name a file that holds nothing else. */
  readonly key?: string | undefined
  readonly keyFile?: string | undefined
}

/** URL and API key of the gateway that a command calls. */
export interface Connection {
  readonly url: string
  readonly key: string
}

type Environment = Readonly<Record<string, string | undefined>>

/** The profile that is used when none is named. */
export const defaultProfile = 'default'

/** Returns the path of the profiles file, which only its owner may read. */
export function profilesFile(environment: Environment): string {
  const base = environment['XDG_CONFIG_HOME'] || join(environment['HOME'] || homedir(), '.config')
  return join(base, 'fairlead', 'profiles.json')
}

/** Reads all profiles; empty when there is no file. */
export function readProfiles(environment: Environment): Readonly<Record<string, Profile>> {
  const file = profilesFile(environment)
  const text = privateText(file)
  if (text === undefined) return {}
  const content = parseJson(text)
  if (!isProfiles(content)) throw invalid(file, 'must contain an object of profiles, each with a url')
  return content
}

/** Writes all profiles atomically. */
export function writeProfiles(environment: Environment, profiles: Readonly<Record<string, Profile>>): string {
  const file = profilesFile(environment)
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const draft = `${file}.${process.pid}`
  writeFileSync(draft, `${JSON.stringify(profiles, null, 2)}\n`, { mode: 0o600 })
  // A temporary file of an earlier run may exist, with its own mode.
  chmodSync(draft, 0o600)
  renameSync(draft, file)
  return file
}

/**
 * Returns the gateway that a command calls: from the command line and the environment, otherwise from a profile,
 * otherwise the gateway that `fairlead dev` has started in this folder.
 *
 * @param flags - `--gateway` and `--profile`
 * @param environment - `FAIRLEAD_URL`, `FAIRLEAD_API_KEY`, `FAIRLEAD_API_KEY_FILE`, `FAIRLEAD_PROFILE`
 * @throws FairleadError `CONFIG_INVALID` when the URL or the key is missing or invalid
 */
export function connectionOf(
  flags: { readonly gateway?: string | undefined; readonly profile?: string | undefined },
  environment: Environment,
): Connection {
  const name = flags.profile ?? nonEmpty(environment['FAIRLEAD_PROFILE'])
  const profile = namedProfile(name, environment)
  const url = flags.gateway ?? nonEmpty(environment['FAIRLEAD_URL']) ?? profile?.url
  const key = environmentKey(environment) ?? (profile && keyOf(profile))
  if (url !== undefined && key !== undefined) return checked({ url, key })
  const development = developmentGateway()
  if (development && (url === undefined || url === development.url) && name === undefined) {
    return checked({ ...development, ...(key !== undefined && { key }) })
  }
  if (url === undefined) {
    throw invalid('--gateway', 'must be set, or FAIRLEAD_URL, or a profile (`fairlead profile add`)')
  }
  throw invalid('FAIRLEAD_API_KEY', 'must be set, or FAIRLEAD_API_KEY_FILE, or a profile with a key')
}

function namedProfile(name: string | undefined, environment: Environment): Profile | undefined {
  const profiles = readProfiles(environment)
  const profile = Object.hasOwn(profiles, name ?? defaultProfile)
    ? profiles[name ?? defaultProfile]
    : undefined
  if (profile || name === undefined) return profile
  throw invalid('--profile', 'must be the name of a profile; `fairlead profile list` lists them')
}

function environmentKey(environment: Environment): string | undefined {
  const file = nonEmpty(environment['FAIRLEAD_API_KEY_FILE'])
  return nonEmpty(environment['FAIRLEAD_API_KEY']) ?? (file === undefined ? undefined : keyFrom(file))
}

function keyOf({ key, keyFile }: Profile): string | undefined {
  return key ?? (keyFile === undefined ? undefined : keyFrom(keyFile))
}

function keyFrom(file: string): string {
  const text = privateText(file)?.trim()
  if (text === undefined || text === '') throw invalid(file, 'must be a file that contains an API key')
  return text
}

// A file that others can read is no longer secret, so the command fails early.
function privateText(file: string): string | undefined {
  try {
    const { mode } = statSync(file)
    if (process.platform !== 'win32' && (mode & 0o077) !== 0) {
      throw invalid(file, 'must be readable by its owner only: chmod 600')
    }
    return readFileSync(file, 'utf8')
  } catch (error) {
    if (FairleadError.is(error)) throw error
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw invalid(file, `must be a readable file: ${(error as NodeJS.ErrnoException).code}`)
  }
}

function developmentGateway(): Connection | undefined {
  const text = privateText(resolve('.fairlead', 'dev.json'))
  const content = text === undefined ? undefined : (parseJson(text) as Partial<DevelopmentFile> | undefined)
  if (content?.base_url === undefined || content.api_key === undefined) return undefined
  return { url: content.base_url, key: content.api_key }
}

function checked({ url, key }: Connection): Connection {
  const address = URL.canParse(url) ? new URL(url) : undefined
  const isLoopback = /^(localhost|127\.[\d.]+|\[::1\])$/.test(address?.hostname ?? '')
  const isSafe = address?.protocol === 'https:' || (address?.protocol === 'http:' && isLoopback)
  if (!address || !isSafe || address.username !== '' || address.search !== '') {
    throw invalid('--gateway', 'must be an https URL, or an http URL on loopback, without credentials')
  }
  if (!/^[!-~]+$/.test(key))
    throw invalid('FAIRLEAD_API_KEY', 'must consist of printable ASCII characters without spaces')
  return { url: url.replace(/\/+$/, ''), key }
}

function isProfiles(content: unknown): content is Readonly<Record<string, Profile>> {
  return (
    typeof content === 'object' &&
    content !== null &&
    Object.values(content).every((profile: Partial<Profile> | null) => typeof profile?.url === 'string')
  )
}

function nonEmpty(text: string | undefined): string | undefined {
  return text === '' ? undefined : text
}

function invalid(option: string, rule: string): FairleadError {
  return new FairleadError('CONFIG_INVALID', { option, rule })
}
