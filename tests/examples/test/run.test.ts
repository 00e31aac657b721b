import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { unusedUrl } from '@fairlead/vitest/http-server'
import { expect, inject, it, onTestFinished } from 'vitest'
import { run } from './example.ts'
import { environment, repository } from './gateway.ts'

/** Creates a folder without a gateway, or with the description of one. */
async function emptyFolder(description?: object): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'fairlead-no-gateway-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  if (description) {
    await mkdir(join(folder, '.fairlead'))
    await writeFile(join(folder, '.fairlead/dev.json'), JSON.stringify(description))
  }
  return folder
}

const readmeOf = (name: string) => readFile(join(repository, 'examples', name, 'README.md'), 'utf8')

it('lists every example that has a README', async () => {
  const { code, output } = await run([])
  expect(code).toBe(0)
  const entries = await readdir(join(repository, 'examples'), { withFileTypes: true })
  const folders = entries.filter((entry) => entry.isDirectory() && entry.name !== 'quickstart')
  expect(folders.length).toBeGreaterThan(5)
  const table = await readFile(join(repository, 'examples/README.md'), 'utf8')
  for (const { name } of folders) {
    expect(output).toMatch(new RegExp(`^ {2}${name} {2,}`, 'm'))
    expect(table).toContain(`(${name}/README.md)`)
  }
})

it('explains an example by its README, without a gateway', async () => {
  const { code, output } = await run(['indexer', '--help'], { folder: await emptyFolder() })
  expect(code).toBe(0)
  expect(output).toBe(await readmeOf('indexer'))
})

it.each(['token-dashboard', 'indexer', 'burn-watcher', 'solana-stream', 'react-live-heads', 'activity'])(
  'documents every option of %s in its README',
  async (name) => {
    const program = await readFile(join(repository, 'examples', name, `${name}.ts`), 'utf8')
    const options = [...program.matchAll(/(\w+): \{ type: 'string'/g)].map(([, option]) => option)
    expect(options.length).toBeGreaterThan(0)
    const readme = await readmeOf(name)
    for (const option of options) expect(readme).toContain(`--${option}`)
  },
)

it('prints the next step when no gateway is configured', async () => {
  const { code, output } = await run(['token-dashboard'], { folder: await emptyFolder() })
  expect(code).toBe(2)
  expect(output).toMatch(/^There is no \.fairlead\/dev\.json in this folder: run npm start here.*\n$/)
})

it('prints the next step when the gateway is unreachable', async () => {
  const base_url = unusedUrl()
  const [node] = inject('development').nodes
  const folder = await emptyFolder({ base_url, nodes: [{ ...node, node_url: base_url }] })
  const { code, output } = await run(['token-dashboard'], { folder })
  expect(code).toBe(2)
  expect(output).toMatch(/^No response from http:\/\/127\.0\.0\.1:\d+, .* run npm start.*\n$/)
})

it('names the variables for a custom node', async () => {
  const variables = { NODE_URL: 'http://127.0.0.1:1' }
  const { code, output } = await run(['token-dashboard'], { folder: await emptyFolder(), variables })
  expect(code).toBe(2)
  expect(output).toContain('NODE_TOKEN and TOKEN_ADDRESS and ACCOUNTS')
})

it('names the chain that an action requires, and the chains that are missing', async () => {
  const { base_url, nodes } = inject('development')
  const folder = await emptyFolder({
    base_url,
    nodes: nodes.slice(2, 3).map((node) => ({ ...node, chain: 'jetton' })),
  })
  const transfers = await run(['activity', 'transfers', '--count', '1'], { folder })
  expect(transfers).toMatchObject({ code: 1, output: 'the gateway runs without its evm chain\n' })
  expect(await run(['activity', 'burn', '0.5'], { folder })).toMatchObject({
    code: 0,
    output: 'burned    0.5\n',
  })
})

it('rejects unknown names and options', async () => {
  const misspelled = await run(['token-dashbord'])
  expect(misspelled.code).toBe(2)
  expect(misspelled.lines[0]).toBe('There is no example of this name.')
  const option = await run(['indexer', '--databas', 'x.db'])
  expect(option.code).toBe(2)
  expect(option.output).toContain("'--databas'")
  const count = await run(['solana-stream', '--count', 'many'])
  expect(count.code).toBe(1)
  expect(count.output).toBe('--count must be a number from 1 on\n')
})

it('prints one line when a node rejects the credential', async () => {
  const { node_url, example } = inject('development').nodes[2]
  const variables = {
    NODE_URL: node_url,
    NODE_TOKEN: 'not-a-token-of-this-node',
    JETTON_MASTER: example['jetton_master'] ?? '',
  }
  const { code, lines, output } = await run(['burn-watcher', '--count', '1'], { variables })
  expect(code).toBe(1)
  expect(lines).toEqual([expect.stringContaining('401')])
  expect(output).not.toContain('not-a-token-of-this-node')
})

it('runs with the command of the README', async () => {
  const folder = await emptyFolder()
  for (const name of ['package.json', 'examples', 'node_modules'])
    await symlink(join(repository, name), join(folder, name))
  await symlink(join(inject('folder'), '.fairlead'), join(folder, '.fairlead'))
  const argv = ['run', '--silent', 'example', '--', 'token-dashboard', '--count', '1']
  const { stdout } = await promisify(execFile)('npm', argv, { cwd: folder, env: environment(folder) })
  expect(stdout).toContain('Fairlead Sample (FLS), 18 decimals')
})
