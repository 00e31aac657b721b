import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'

interface Step {
  readonly uses?: string
  readonly run?: string
  readonly with?: Readonly<Record<string, unknown>>
}

interface Job {
  readonly permissions?: Readonly<Record<string, string>>
  readonly 'timeout-minutes'?: number
  readonly environment?: string
  readonly needs?: string | readonly string[]
  /** A reusable workflow in place of steps. */
  readonly uses?: string
  readonly steps?: readonly Step[]
}

interface Workflow {
  readonly permissions?: Readonly<Record<string, string>>
  readonly jobs: Readonly<Record<string, Job>>
}

const root = resolve(import.meta.dirname, '../../..')
const folder = join(root, '.github')
const scripts = Object.keys(
  (JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: object }).scripts,
)
const texts = new Map(
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => /^(workflows|actions)\/.*\.yml$/.test(file))
    .map((file) => [file, readFileSync(join(folder, file), 'utf8')] as const),
)
const workflows = [...texts]
  .filter(([file]) => file.startsWith('workflows/'))
  .map(([file, text]) => [file, parse(text) as Workflow] as const)
const jobs = workflows.flatMap(([file, workflow]) =>
  Object.entries(workflow.jobs).map(([name, job]) => [`${file} ${name}`, job] as const),
)
const prepare = parse(texts.get('actions/prepare/action.yml') ?? '') as { runs: { steps: readonly Step[] } }

/** The steps of a job, with those of our own action inlined. */
const stepsOf = ({ steps = [] }: Job): readonly Step[] =>
  steps.flatMap((step) => (step.uses === './.github/actions/prepare' ? prepare.runs.steps : [step]))

/** Whether a command line runs something of this repository. */
function isOfRepository(command: string): boolean {
  const [program = '', ...words] = command.split(' ')
  const [word = ''] = words.filter((candidate) => !candidate.startsWith('--'))
  if (program === 'npm') return word === 'run' && scripts.includes(words[words.indexOf('run') + 1] ?? '')
  return (program === 'node' || program === 'bash') && existsSync(join(root, word))
}

describe('the workflows', () => {
  it('exist', () => {
    expect(workflows.map(([file]) => file).toSorted()).toEqual([
      'workflows/ci.yml',
      'workflows/release.yml',
      'workflows/spec-review.yml',
    ])
  })

  it.each([...texts])('%s pins actions to a commit, with the version in a comment', (_, text) => {
    const used = text.split('\n').filter((line) => /\buses:/.test(line))
    expect(used.length).toBeGreaterThan(0)
    for (const line of used) {
      const [, local] = /uses: \.\/(\S+)$/.exec(line) ?? []
      if (local?.endsWith('.yml')) expect(texts.has(local.replace('.github/', '')), line).toBe(true)
      else if (local === undefined)
        expect(line).toMatch(/uses: [\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/)
      else expect(existsSync(join(root, local, 'action.yml')), line).toBe(true)
    }
  })

  it.each(workflows)('%s grants no permissions to all jobs', (_, { permissions }) => {
    expect(permissions).toEqual({})
  })

  it('grant each job only the permissions that it needs', () => {
    const reads = [
      'ci.yml check',
      'ci.yml fresh',
      'ci.yml types',
      'ci.yml test',
      'ci.yml clients',
      'ci.yml pack',
    ]
    expect(Object.fromEntries(jobs.map(([name, { permissions }]) => [name, permissions]))).toEqual({
      ...Object.fromEntries(reads.map((name) => [`workflows/${name}`, { contents: 'read' }])),
      'workflows/release.yml ci': { contents: 'read' },
      'workflows/release.yml version': { contents: 'write', 'pull-requests': 'write' },
      'workflows/release.yml pack': { contents: 'read' },
      'workflows/release.yml canary': { contents: 'read', 'id-token': 'write' },
      'workflows/release.yml publish': { contents: 'read', 'id-token': 'write' },
      'workflows/release.yml tag': { contents: 'write' },
      'workflows/spec-review.yml report': { contents: 'read', 'pull-requests': 'write' },
      'workflows/spec-review.yml compatibility': { contents: 'read' },
      'workflows/spec-review.yml release-gate': { contents: 'read' },
    })
  })

  it.each(jobs.filter(([, { uses }]) => uses === undefined))('%s has a timeout', (_, job) => {
    expect(job['timeout-minutes']).toBeGreaterThan(0)
  })

  it.each(workflows)('%s depends on existing jobs', (_, workflow) => {
    const needs = Object.values(workflow.jobs).flatMap((job) => job.needs ?? [])
    expect(Object.keys(workflow.jobs)).toEqual(expect.arrayContaining(needs))
  })

  it.each(jobs)('%s runs only scripts of the repository', (_, job) => {
    for (const { run } of stepsOf(job))
      for (const command of run?.trim().split('\n') ?? []) expect(isOfRepository(command), command).toBe(true)
  })

  it.each(jobs)('%s does not persist credentials', (_, { steps = [] }) => {
    for (const step of steps.filter(({ uses }) => uses?.startsWith('actions/checkout@')))
      expect(step.with?.['persist-credentials']).toBe(false)
  })
})

describe('a job that can publish', () => {
  const publishing = jobs.filter(([, { permissions }]) => permissions?.['id-token'] === 'write')

  it('is one of two jobs', () => {
    expect(publishing.map(([name]) => name)).toEqual([
      'workflows/release.yml canary',
      'workflows/release.yml publish',
    ])
  })

  it('depends on the checks, and a release on its reviewer', () => {
    const { jobs: ofRelease } = new Map(workflows).get('workflows/release.yml') ?? { jobs: {} }
    expect(publishing.map(([, { needs, environment }]) => [needs, environment])).toEqual([
      ['pack', 'npm-canary'],
      ['pack', 'npm'],
    ])
    expect(ofRelease['pack']?.needs).toBe('ci')
    expect(ofRelease['ci']?.uses).toBe('./.github/workflows/ci.yml')
  })

  it.each(publishing)('%s uses no cache', (_, job) => {
    const steps = stepsOf(job)
    expect(JSON.stringify(steps)).not.toMatch(/actions\/cache|"cache"/)
    const nodes = steps.filter(({ uses }) => uses?.startsWith('actions/setup-node@'))
    expect(nodes.map((step) => step.with?.['package-manager-cache'])).toEqual([false])
  })

  it.each(publishing)('%s checks for changed files first, and does not build', (_, job) => {
    const commands = stepsOf(job).flatMap(({ run }) => run ?? [])
    expect(commands).toEqual([
      'npm run setup -- --filter fairlead-workspace',
      'npm run check:clean',
      'npm run release:publish',
    ])
  })
})
