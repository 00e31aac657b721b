import { appendFile, readFile } from 'node:fs/promises'
import { comment } from './pull-request-comment.ts'

// Posts the report of a named file as a comment on the pull request that the environment names, and adds it to the job
// summary, if there is one.

function variable(name: string): string {
  const value = process.env[name]
  if (value === undefined || value === '') throw new Error(`${name} must be set`)
  return value
}

try {
  const [file] = process.argv.slice(2)
  if (file === undefined) throw new Error('pass the file with the report as an argument')
  const target = {
    api: variable('GITHUB_API_URL'),
    repository: variable('GITHUB_REPOSITORY'),
    number: variable('PULL_REQUEST'),
    token: variable('GITHUB_TOKEN'),
  }
  const report = await readFile(file, 'utf8')
  const summary = process.env['GITHUB_STEP_SUMMARY']
  if (summary !== undefined) await appendFile(summary, report)
  process.stdout.write(`Comment: ${await comment(target, report)}\n`)
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`)
  process.exitCode = 1
}
