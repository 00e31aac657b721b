// Runs one benchmark by name: npm run benchmark -- <name>
import { readdirSync } from 'node:fs'

const names = readdirSync(import.meta.dirname)
  .filter((file) => /^[a-z-]+\.ts$/.test(file) && file !== 'main.ts')
  .map((file) => file.slice(0, -3))
const [name] = process.argv.slice(2)
if (name === undefined || !names.includes(name)) {
  console.error(
    `usage: npm run benchmark -- <name> [flags], one of ${names.join(', ')}; --help behind a name shows its flags`,
  )
  process.exit(name === '--help' ? 0 : 2)
}
await import(`./${name}.ts`)
