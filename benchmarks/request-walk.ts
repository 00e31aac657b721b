// The path of one request through the gateway: the functions from the first byte to the upstream, each of which waits
// for the next one, and the number of other functions that run. Folders that the path enters again are named.
import { checkOut, commitOf, repository } from './fixtures/checkout.ts'
import { readFlags } from './fixtures/read-flags.ts'
import { lifecyclePage } from './fixtures/request-walk/lifecycle-page.ts'
import { preparedRequests } from './fixtures/request-walk/prepared-requests.ts'
import { foldersOf, steps } from './fixtures/request-walk/stages.ts'
import { locationOf, startWalkedGateway, type Walk } from './fixtures/request-walk/walked-gateway.ts'

const flags = readFlags(import.meta.filename, {
  at: { type: 'string', description: 'commit whose gateway is walked; the working tree when left out' },
  requests: {
    type: 'string',
    default: Object.keys(preparedRequests).join(','),
    description: 'some of these',
  },
  allocations: {
    type: 'boolean',
    default: false,
    description: 'only measures what one request allocates on the heap',
  },
  list: { type: 'boolean', default: false, description: 'prints every function' },
  write: { type: 'boolean', default: false, description: `only writes the tables of ${lifecyclePage.path}` },
  check: { type: 'boolean', default: false, description: 'only checks that these tables are current' },
})
const isForPage = flags.write || flags.check
const names = isForPage ? lifecyclePage.requests : flags.requests.split(',')
const unknown = names.find((name) => preparedRequests[name] === undefined)
if (unknown !== undefined) {
  console.error(`${unknown} is none of ${Object.keys(preparedRequests).join(', ')}.`)
  process.exit(2)
}
const checkout = flags.at === undefined ? undefined : await checkOut(await commitOf(flags.at))
const walks: Walk[] = []
try {
  console.log(`the path of requests at ${checkout?.commit ?? 'the working tree'}`)
  for (const hasPool of [false, true]) {
    const ofGateway = names.filter((name) => (preparedRequests[name]?.hasPool ?? false) === hasPool)
    if (ofGateway.length === 0) continue
    const gateway = await startWalkedGateway(checkout?.folder ?? repository, hasPool)
    try {
      for (const name of ofGateway) {
        if (flags.allocations) {
          console.log(`${name}: ${((await gateway.allocated(name)) / 1_024).toFixed(1)} KiB a request`)
        } else {
          const walk = await gateway.walk(name)
          walks.push(walk)
          if (!isForPage) report(walk)
        }
      }
    } finally {
      await gateway.close()
    }
  }
} finally {
  await checkout?.remove()
}
if (flags.write) lifecyclePage.write(walks)
if (flags.check && !lifecyclePage.isCurrent(walks)) {
  console.error(`${lifecyclePage.path} is stale: npm run benchmark -- request-walk --write`)
  process.exit(1)
}
process.exit(0)

/** Prints the path of one request. Calls that have returned before the upstream is reached are not part of it. */
function report({ name, path, toUpstream, fromUpstream }: Walk): void {
  const files = new Set(toUpstream.map(({ file }) => file)).size
  console.log(
    `\n${name}: ${path.length} hops; ${toUpstream.length} functions of ${files} files run in request direction, ` +
      `${fromUpstream.length} on the way back`,
  )
  const folders = foldersOf(steps(path))
  console.log(`  ${folders.join(' > ')}`)
  const repeated = [...new Set(folders.filter((folder, at) => folders.indexOf(folder) !== at))]
  console.log(`  entered again: ${repeated.length === 0 ? 'none' : repeated.join(', ')}`)
  for (const hop of path) console.log(`  ${locationOf(hop)}`)
  if (!flags.list) return
  console.log('  all functions, > in request direction, < on the way back:')
  for (const entry of toUpstream) console.log(`  > ${locationOf(entry)}`)
  for (const entry of fromUpstream) console.log(`  < ${locationOf(entry)}`)
}
