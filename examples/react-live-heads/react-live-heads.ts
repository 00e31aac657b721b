/** Serves the page and prints its URL. */
import { parseArgs } from 'node:util'
import { createServer } from 'vite'

const { values } = parseArgs({ options: { port: { type: 'string', default: '5173' } } })
const port = Number(values.port)
if (!Number.isInteger(port) || port < 0 || port > 65_535) {
  throw new Error('--port must be a port, or 0 for one that is free')
}

const server = await createServer({ root: import.meta.dirname, logLevel: 'warn', server: { port } })
await server.listen()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void server.close())
console.log(`The page is at ${server.resolvedUrls?.local[0]}; Ctrl-C ends it.`)
