import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { options } from '@fairlead/gateway'
import { routes } from '@fairlead/platform-client/contract'
import { repository } from '../pages/page.ts'
import { problemOfFairlead } from './command-table.ts'
import type { Command } from './split-commands.ts'

interface Manifest {
  readonly name: string
  readonly private?: boolean
  readonly scripts?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
}

const manifestOf = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(repository, folder, 'package.json'), 'utf8')) as Manifest
const root = manifestOf('.')

// Third-party programs, whose arguments are not checked.
const foreign =
  /^(?:alias|cat|createdb|createuser|cut|echo|export|gh|git|grep|head|install|mktemp|journalctl|jq|kubectl|ls|openssl|pg_dump|pg_restore|podman|sort|sqlite3|systemctl|systemd-analyze|systemd-run|umask)$/

// Variables of the command line itself. All others are options.
const ofCommandLine = [
  'FAIRLEAD_URL',
  'FAIRLEAD_API_KEY',
  'FAIRLEAD_API_KEY_FILE',
  'FAIRLEAD_PROFILE',
  'FAIRLEAD_NODE_TOKEN',
]
const variables = new Set([...Object.values(options).map(({ environment }) => environment), ...ofCommandLine])

/** Returns the problem of an environment variable, if any. */
export function problemOfVariable(name: string): string | undefined {
  const isOurs = name.startsWith('FAIRLEAD_')
  return isOurs && !variables.has(name) ? `there is no variable ${name}` : undefined
}

/** Returns the problem of a command of a page, if any. */
export function problemOfCommand(words: Command): string | undefined {
  const [first = '', ...rest] = words
  if (/^(?:\w+\(\)|\{)$/.test(first)) return rest.length === 0 ? undefined : problemOfCommand(rest)
  if (first === '}') return undefined
  const assigned = /^(\w+)=/.exec(first)?.[1]
  if (assigned !== undefined) {
    return problemOfVariable(assigned) ?? (rest.length === 0 ? undefined : problemOfCommand(rest))
  }
  const check = checks[first]
  if (check !== undefined) return check(rest)
  return foreign.test(first) ? problemOfForeign(rest) : `the program ${first} is unknown`
}

const checks: Readonly<Record<string, (words: readonly string[]) => string | undefined>> = {
  fairlead: problemOfFairlead,
  npm: problemOfNpm,
  npx: problemOfNpx,
  pnpm: problemOfPnpm,
  node: problemOfNode,
  curl: problemOfCurl,
}

function problemOfForeign(words: readonly string[]): string | undefined {
  const names = words.flatMap((word) => /^(FAIRLEAD_\w+)(?:=|$)/.exec(word)?.[1] ?? [])
  const files = words.filter((word) => word.startsWith('deploy/'))
  const missing = files.find((file) => !existsSync(join(repository, file)))
  if (missing !== undefined) return `there is no ${missing}`
  return names.map(problemOfVariable).find((problem) => problem !== undefined)
}

function problemOfNpm([verb = '', ...words]: readonly string[]): string | undefined {
  if (verb === 'install') {
    const names = words.filter((word) => !word.startsWith('-'))
    return names.map(problemOfPackage).find((problem) => problem !== undefined)
  }
  const script = verb === 'run' ? words.find((word) => !word.startsWith('-')) : verb
  if (root.scripts?.[script ?? ''] === undefined) return `there is no script ${script}`
  const [argument] = words.slice(words.indexOf(script ?? '') + 1).filter((word) => !word.startsWith('-'))
  if (script !== 'example' || argument === undefined) return undefined
  const file = join(repository, 'examples', argument, `${argument}.ts`)
  return existsSync(file) ? undefined : `there is no example ${argument}`
}

function problemOfNpx(words: readonly string[]): string | undefined {
  const at = words.findIndex((word) => word === '--package')
  if (at >= 0) {
    const [name = '', ...command] = words.slice(at + 1)
    const rest = command[0] === '--package' ? problemOfNpx : problemOfCommand
    return problemOfPackage(name) ?? rest(command)
  }
  const [name = ''] = words.filter((word) => !word.startsWith('-'))
  return existsSync(join(repository, 'node_modules/.bin', name)) ? undefined : `there is no program ${name}`
}

function problemOfPnpm(words: readonly string[]): string | undefined {
  const [first = '', second = '', script = ''] = words
  if (first !== '--filter')
    return root.scripts?.[first] === undefined ? `there is no script ${first}` : undefined
  const manifest = manifestNamed(second)
  if (manifest === undefined) return `there is no package ${second}`
  const name = script === 'run' ? (words[3] ?? '') : script
  return manifest.scripts?.[name] === undefined ? `${second} has no script ${name}` : undefined
}

const folders = ['packages', 'tests', 'tools', 'examples']

function manifestNamed(name: string): Manifest | undefined {
  const short = name.replace('@fairlead/', '').replace(/-tests$/, '')
  const found = folders
    .map((folder) => join(folder, short))
    .find((folder) => existsSync(join(repository, folder)))
  const manifest = found === undefined ? undefined : manifestOf(found)
  return manifest?.name === name ? manifest : undefined
}

function problemOfPackage(name: string): string | undefined {
  if (!name.startsWith('@fairlead/')) return undefined
  const manifest = manifestNamed(name)
  return manifest === undefined || manifest.private === true ? `${name} cannot be installed` : undefined
}

function problemOfNode(words: readonly string[]): string | undefined {
  const [first = ''] = words.filter((word) => !word.startsWith('--'))
  if (/^-[pe]$/.test(first) || !first.includes('/')) return undefined
  return existsSync(join(repository, first)) ? undefined : `there is no ${first}`
}

// Gateway URLs as pages write them, and the paths below them other than the platform API and nodes.
const ownAddress =
  /^(?:http:\/\/127\.0\.0\.1:8645|https:\/\/fairlead\.example\.com|\$\{?(?:FAIRLEAD|API_URL|NODE_URL)\}?)(\/.*|$)/
const ownPath = /^(?:|\/|\/healthz|\/readyz|\/metrics|\/console\/|\/docs\/|\/\$NODE_TOKEN(?:\/.*)?)$/

function problemOfCurl(words: readonly string[]): string | undefined {
  const path = words.flatMap((word) => ownAddress.exec(word)?.[1] ?? []).at(0)
  if (path === undefined || ownPath.test(path)) return undefined
  const verb = words[words.indexOf('-X') + 1]
  const method = words.includes('-X') ? verb : words.includes('-d') ? 'POST' : 'GET'
  const isOffered = Object.values(routes).some((route) => route.method === method && isAt(route.path, path))
  return isOffered ? undefined : `the platform API has no ${method} ${path}`
}

function isAt(template: string, path: string): boolean {
  const parts = template.split('/').map((part) => (part.startsWith('{') ? '[^/]+' : part))
  return new RegExp(`^${parts.join('/')}(?:\\?.*)?$`).test(path)
}
