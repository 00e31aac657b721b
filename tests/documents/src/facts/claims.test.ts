import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { options } from '@fairlead/gateway'
import { expect, it } from 'vitest'
import { readPages, repository } from '../pages/page.ts'
import { sourcesBelow } from './sources.ts'

const read = (path: string) => readFileSync(join(repository, path), 'utf8')

interface Statement {
  readonly path: string
  readonly text: string
}

/** The paragraphs, table rows and list items of the pages and the changesets. */
const blocks: readonly Statement[] = [
  ...readPages(),
  ...sourcesBelow('.changeset/*.md').map((path) => ({ path, text: read(path) })),
].flatMap(({ path, text }) => text.split(/\n\n|\n(?=[-|#])/).map((block) => ({ path, text: block })))

/** Their sentences and table cells. */
const statements: readonly Statement[] = blocks.flatMap(({ path, text }) =>
  text
    .split(/(?<=[.;!?])\s|\|/)
    .map((statement) => ({ path, text: statement.replaceAll(/\s+/g, ' ').trim() })),
)

it('no text claims that a secret is shown once when the platform API reveals it', () => {
  const operations = sourcesBelow('specs/platform/paths/**/*.yaml').map(read).join('')
  const revealed = [...operations.matchAll(/operationId: reveal(\w+)/g)].map(([, name = '']) =>
    name.replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter}`).toLowerCase(),
  )
  expect(revealed.length).toBeGreaterThan(0)
  const packages = ['console', 'gateway', 'platform-server']
  const lines = sourcesBelow(
    ...packages.flatMap((name) => [`packages/${name}/src/**/*.ts`, `packages/${name}/src/**/*.tsx`]),
    'specs/platform/**/*.yaml',
  ).flatMap((path) =>
    read(path)
      .split('\n')
      .map((text) => ({ path, text: text.trim() })),
  )
  const claims = [...statements, ...lines].filter(({ text }) =>
    /\b(?:shown|returned|displayed) (?:only )?once\b|not (?:be )?shown again/.test(text),
  )
  expect(claims.length).toBeGreaterThan(8)
  const secrets = new RegExp(`\\b(?:${revealed.join('|')})s?\\b`, 'i')
  expect(claims.filter(({ text }) => secrets.test(text))).toEqual([])
})

it('a claim that revoked credentials end within a second names the condition', () => {
  const claims = blocks.filter(({ text }) => /\brevoked\b/.test(text) && /within\s+a\s+second/.test(text))
  expect(claims.length).toBeGreaterThan(3)
  // Without the database a process learns nothing of a revocation.
  expect(claims.filter(({ text }) => !/database|PostgreSQL/.test(text))).toEqual([])
})

/** How texts name the embedded chains, by the value of the option. */
const chains: Readonly<Record<string, RegExp>> = {
  evm: /\bEVM\b|\bEthereum\b/i,
  beacon: /\bbeacon\b/i,
  jetton: /\bjetton\b|\bTON\b/i,
  solana: /\bSolana\b/i,
}

it('a text that lists the embedded chains lists all of them', () => {
  const { values, description } = options.developmentChains
  expect(values.filter((value) => value !== 'all')).toEqual(Object.keys(chains))
  const lists = [...statements, { path: 'option', text: description }].filter(
    ({ text }) =>
      /\bembedded\b.*\bchains\b|FAIRLEAD_DEVELOPMENT_CHAINS/i.test(text) &&
      Object.values(chains).filter((name) => name.test(text)).length > 1,
  )
  expect(lists.length).toBeGreaterThan(3)
  expect(lists.filter(({ text }) => !Object.values(chains).every((name) => name.test(text)))).toEqual([])
})

const clients = ['core', 'platform-client', 'evm-rpc', 'beacon', 'jetton', 'grpc-transport', 'grpc', 'sdk']

interface Manifest {
  readonly engines: { readonly node: string }
  readonly dependencies?: Readonly<Record<string, string>>
  readonly scripts: Readonly<Record<string, string>>
}
const manifestOf = (folder: string) => JSON.parse(read(`packages/${folder}/package.json`)) as Manifest

it('the README names the runtimes in which the clients are tested', () => {
  const matrix = read('tests/consumers/src/matrix/consumers.ts')
  const [callers = ''] = /const callers[^]*?\n\]/.exec(matrix) ?? []
  const names = [...callers.matchAll(/^ +(?:runtime|web)\('(?:\w+, )?([\w ]+)'/gm)].map(
    ([, name = '']) => name,
  )
  const [, claim = ''] = /Clients are tested on ([^]*?)\. A Node\.js release/.exec(read('README.md')) ?? []
  const [node = '', ...runtimes] = claim.replaceAll(/\s+/g, ' ').split(/, (?:an )?| and in (?:an )?/)
  expect(node).toBe(`Node.js ${manifestOf('core').engines.node.slice(2)} and later`)
  expect(new Set(runtimes)).toEqual(new Set(names))
})

it('every page states the oldest Node.js of a package as its manifest does', () => {
  for (const folder of [...clients, 'gateway']) {
    const { node } = manifestOf(folder).engines
    const stated = [
      ...read(`packages/${folder}/README.md`).matchAll(/runs\s+on\s+Node\.js\s+(?:from\s+)?(\d+\.\d+)/gi),
    ]
    expect(stated.map(([, version]) => `>=${version}`).filter((version) => version !== node)).toEqual([])
    expect(node).toBe(manifestOf(folder === 'gateway' ? 'gateway' : 'core').engines.node)
  }
  const [, client, gateway] =
    /Clients are tested on Node\.js (\S+) and later, the gateway on (\S+) and later/.exec(
      read('SECURITY.md'),
    ) ?? []
  expect(`>=${client}`).toBe(manifestOf('core').engines.node)
  expect(`>=${gateway}`).toBe(manifestOf('gateway').engines.node)
})

it('clients have as few dependencies as CONTRIBUTING claims', () => {
  expect(read('CONTRIBUTING.md')).toMatch(/directly\s+on\s+fewer\s+than\s+five\s+third-party\s+packages/)
  for (const folder of clients) {
    const names = Object.keys(manifestOf(folder).dependencies ?? {})
    expect(names.filter((name) => !name.startsWith('@fairlead/')).length).toBeLessThan(5)
  }
})

it('no package runs a script at installation, as SECURITY claims', () => {
  expect(read('SECURITY.md')).toContain('No package runs a script at installation.')
  const manifests = sourcesBelow('packages/*/package.json').map((path) => JSON.parse(read(path)) as Manifest)
  const atInstall = ['preinstall', 'install', 'postinstall', 'prepare']
  expect(manifests.length).toBeGreaterThan(clients.length)
  expect(manifests.flatMap(({ scripts }) => atInstall.filter((name) => name in scripts))).toEqual([])
})

/** The codes with which the files of a package create errors. */
function codesOf(folder: string): readonly string[] {
  return sourcesBelow(`packages/${folder}/src/**/*.ts`)
    .flatMap((path) => [...read(path).matchAll(/new FairleadError\(([^{]*?)[,{]/g)])
    .flatMap(([, codes = '']) => [...codes.matchAll(/'([A-Z_]+)'/g)].map(([, code = '']) => code))
}

it.each(['evm-rpc', 'beacon', 'jetton', 'platform-client', 'grpc'])(
  'the README of %s lists its error codes',
  (folder) => {
    const readme = read(`packages/${folder}/README.md`)
    const [, list = ''] = /(?:The codes are|with a stable `code`:)([^]*?)\./.exec(readme) ?? []
    const listed = [...list.matchAll(/`([A-Z_]+)`/g)].map(([, code]) => code)
    // The HTTP transport of core, also below its REST client.
    const files = sourcesBelow(`packages/${folder}/src/**/*.ts`)
    const shared = files.some((path) => /createHttpTransport|createRest/.test(read(path)))
      ? codesOf('core')
      : []
    expect(new Set(listed)).toEqual(new Set([...codesOf(folder), ...shared]))
  },
)
