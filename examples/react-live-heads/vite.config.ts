import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

const { NODE_URL, NODE_TOKEN } = process.env

// Other tools load this file too, so only the start of Vite needs the variables.
const environment = {
  name: 'environment',
  buildStart() {
    if (!NODE_URL || !NODE_TOKEN) throw new Error('Set NODE_URL and NODE_TOKEN')
  },
}

export default defineConfig({
  plugins: [environment, react()],
  // In your own project, the packages come from npm, and this line is not needed.
  resolve: { conditions: ['@fairlead/source', 'module', 'browser', 'development|production'] },
  // Inserted into the page, where anyone who opens it can read the token.
  define: { NODE_URL: JSON.stringify(NODE_URL), NODE_TOKEN: JSON.stringify(NODE_TOKEN) },
  server: { host: '127.0.0.1' },
})
