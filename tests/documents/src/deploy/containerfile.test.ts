import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Copy, DockerfileParser, type From } from 'dockerfile-ast'
import { describe, expect, it } from 'vitest'
import { repository } from '../pages/page.ts'

const text = readFileSync(join(repository, 'deploy/Containerfile'), 'utf8')
const file = DockerfileParser.parse(text)
const instructions = file.getInstructions()
const argumentsOf = (keyword: string) =>
  instructions.filter((one) => one.getKeyword() === keyword).map((one) => one.getArgumentsContent() ?? '')

interface Manifest {
  readonly name: string
  readonly bin?: Readonly<Record<string, string>>
  readonly scripts: Readonly<Record<string, string>>
  readonly packageManager?: string
}
const manifestOf = (folder: string) =>
  JSON.parse(readFileSync(join(repository, folder, 'package.json'), 'utf8')) as Manifest

describe('the Containerfile', () => {
  it('is made of instructions that there are', () => {
    const keywords = ['FROM', 'WORKDIR', 'COPY', 'RUN', 'ENV', 'USER', 'VOLUME', 'EXPOSE', 'HEALTHCHECK']
    const known = new Set([...keywords, 'STOPSIGNAL', 'ENTRYPOINT', 'CMD'])
    expect(instructions.map((one) => one.getKeyword()).filter((keyword) => !known.has(keyword))).toEqual([])
    expect(instructions.length).toBeGreaterThan(10)
  })

  it('copies from stages that it has', () => {
    const stages = file.getFROMs().map((from: From) => from.getBuildStage())
    const sources = file.getCOPYs().flatMap((copy: Copy) => copy.getFromFlag()?.getValue() ?? [])
    expect(sources).toEqual(['build'])
    expect(sources.every((source) => stages.includes(source))).toBe(true)
  })

  it('builds with the package manager of the project what the program needs', () => {
    const gateway = manifestOf('packages/gateway')
    const [build = ''] = argumentsOf('RUN')
    const versions = build.match(/pnpm@[\d.]+/g) ?? []
    expect(new Set(versions)).toEqual(new Set([manifestOf('.').packageManager]))
    expect(build).toContain(`--filter '${gateway.name}...' run build`)
    expect(gateway.scripts['build']).toBeDefined()
    expect(argumentsOf('ENTRYPOINT')).toEqual([
      `["node", "/app/${gateway.bin?.['fairlead']?.replace('./', '')}"]`,
    ])
  })

  it('leaves out what is not built from, and nothing that is', () => {
    const ignored = readFileSync(join(repository, 'deploy/Containerfile.dockerignore'), 'utf8')
      .trim()
      .split('\n')
    expect(ignored).toContain('**/node_modules')
    const folders = ['packages', 'tools', 'specs', 'patches']
    const needed = [...folders, 'pnpm-lock.yaml', 'pnpm-workspace.yaml', 'package.json']
    expect(needed.every((name) => existsSync(join(repository, name)))).toBe(true)
    expect(ignored.filter((pattern) => needed.includes(pattern))).toEqual([])
  })
})
