// Runs one benchmark by name: npm run benchmark -- <name>
import { readdirSync } from 'node:fs'

const names = readdirSync(import.meta.dirname)
  .filter((file) => file.endsWith('.ts') && file !== 'main.ts')
  .map((file) => file.slice(0, -3))
const [name] = process.argv.slice(2)
if (name === undefined || !names.includes(name)) {
  console.error(`usage: npm run benchmark -- <name>, one of ${names.join(', ')}`)
  process.exit(name === undefined || name === '--help' ? 0 : 1)
}
await import(`./${name}.ts`)
