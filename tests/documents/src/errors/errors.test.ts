import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { sourcesBelow } from '../facts/sources.ts'
import { repository } from '../pages/page.ts'

const read = (path: string) => readFileSync(join(repository, path), 'utf8')
const page = read('docs/reference/errors.md')

/** The cells of the tables below a heading, row by row, without header rows. */
function rowsBelow(text: string, heading: string): readonly (readonly string[])[] {
  const section = text.split(new RegExp(`^#+ ${heading}$`, 'm'))[1]?.split(/^#+ /m)[0] ?? ''
  return section
    .split('\n')
    .filter((line) => /^\| [^-|]/.test(line))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    )
    .slice(1)
}

const column = (heading: string, index: number, text = page) =>
  rowsBelow(text, heading).map((row) => row[index]?.replaceAll('`', ''))

/** The distinct matches of a pattern in a source file. */
function named(path: string, pattern: RegExp): readonly string[] {
  const found = [...read(path).matchAll(pattern)].map(([, name]) => name ?? '')
  expect(found.length).toBeGreaterThan(1)
  return [...new Set(found)]
}

describe('the catalogue of errors', () => {
  it('has the codes of the platform API with their statuses, as the gateway and the specification have them', () => {
    const source = read('packages/platform-server/src/platform-api/platform-error.ts')
    const statuses = /const statuses = \{([^}]*)\}/.exec(source)?.[1] ?? ''
    const ofGateway = [...statuses.matchAll(/(\w+): (\d+)/g)].map(([, code, status]) => `${code} ${status}`)
    const { properties } = parse(read('specs/platform/schemas/PlatformErrorDetail.yaml')) as {
      properties: { code: { description: string } }
    }
    const described = properties.code.description.matchAll(/^- `(\w+)` \((\d+)\)/gm)
    const ofSpecification = [...described].map(([, code, status]) => `${code} ${status}`)
    const ofPage = rowsBelow(page, 'Platform API').map(
      ([code, status]) => `${code?.replaceAll('`', '')} ${status}`,
    )
    expect(ofPage).toEqual(ofGateway)
    expect(new Set(ofPage)).toEqual(new Set(ofSpecification))
  })

  it('has the codes of JSON-RPC that the gateway returns', () => {
    const codes = /^ {2}\w+: (-?\d+),$/gm
    const given = [
      ...named('packages/gateway-core/src/json-rpc/rpc-error.ts', codes),
      ...named('packages/gateway-evm/src/rpc-codes.ts', codes),
    ]
    // A revert has no name in that list, because its code is defined by the nodes.
    expect(new Set(column('Codes of JSON-RPC', 0))).toEqual(new Set([...given, '3']))
  })

  it('has every reason for which a call is refused, by limits and by protocols', () => {
    const admission = 'packages/gateway-core/src/admission/types.ts'
    // The reasons of the metrics are others.
    const sources = sourcesBelow('packages/gateway-*/src/**/*.ts').filter(
      (path) => !path.endsWith('/metrics.ts'),
    )
    const given = sources.flatMap((path) => [...read(path).matchAll(/\breason: '([a-z_ ]+)'/g)])
    const reasons = new Set(given.map(([, reason = '']) => `reason: "${reason}"`))
    expect(reasons.size).toBeGreaterThan(named(admission, /readonly reason: '(\w+)'/g).length)
    const union = /readonly rule: ([^}]*?)\s*\}/.exec(read(admission))?.[1] ?? ''
    const rules = [...union.matchAll(/'(\w+)'/g)].map(([, rule]) => `rule: "${rule}"`)
    expect(new Set(column('Why a call was refused', 0))).toEqual(new Set([...reasons, ...rules]))
  })

  it('has every code with which a start ends', () => {
    const codes = [
      ...named('packages/platform-server/src/store/store-error.ts', /'(STORE_\w+)'/g),
      ...named('packages/devnet/src/runtime/devnet-error.ts', /\| '(DEVNET_\w+)'/g),
      /\[(DEVNET_\w+)\]/.exec(read('packages/gateway/src/development/load-devnet.ts'))?.[1],
    ]
    expect(new Set(column('Starting', 1))).toEqual(new Set(codes))
  })

  it('has the exit codes of the command line', () => {
    const codes = named('packages/gateway/src/cli/exit-codes.ts', /^ {2}\w+: (\d+),$/gm)
    const commandLine = read('docs/reference/command-line.md')
    expect(new Set(column('Exit codes', 0, commandLine))).toEqual(new Set(['0', ...codes, '130']))
  })
})
