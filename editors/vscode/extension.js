// Starts `kenaz lsp` and runs what its lenses ask for in a terminal.
'use strict';

const vscode = require('vscode');
const { LanguageClient } = require('vscode-languageclient/node');

let client;

function program() {
  return vscode.workspace.getConfiguration('kenaz').get('path') || 'kenaz';
}

async function start() {
  const executable = { command: program(), args: ['lsp'] };
  client = new LanguageClient(
    'kenaz',
    'Kenaz',
    { run: executable, debug: executable },
    {
      documentSelector: [{ language: 'futhark' }],
      // Tests and benchmarks run in a terminal of the editor.
      initializationOptions: { runsCommands: true },
    }
  );
  try {
    await client.start();
  } catch (error) {
    client = undefined;
    const open = 'Open the setting';
    const text = `The language server cannot be started: "${executable.command} lsp" fails. ${error.message || error}`;
    if ((await vscode.window.showErrorMessage(text, open)) === open) {
      vscode.commands.executeCommand('workbench.action.openSettings', 'kenaz.path');
    }
  }
}

async function stop() {
  const old = client;
  client = undefined;
  if (old) await old.stop();
}

// Runs a subcommand on a file that was saved.
async function run(subcommand, address) {
  const uri = address ? vscode.Uri.parse(address) : vscode.window.activeTextEditor?.document.uri;
  if (!uri || uri.scheme !== 'file') {
    vscode.window.showWarningMessage('The file must be saved first.');
    return;
  }
  const document = vscode.workspace.textDocuments.find((one) => one.uri.toString() === uri.toString());
  if (document?.isDirty && !(await document.save())) return;
  // The program and its arguments are given one by one: no shell reads the name of the file.
  const execution = new vscode.ProcessExecution(program(), [subcommand, uri.fsPath]);
  const scope = vscode.workspace.getWorkspaceFolder(uri) ?? vscode.TaskScope.Workspace;
  const task = new vscode.Task({ type: 'kenaz', subcommand }, scope, `kenaz ${subcommand}`, 'kenaz', execution);
  task.presentationOptions = { clear: true, reveal: vscode.TaskRevealKind.Always };
  await vscode.tasks.executeTask(task);
}

async function activate(context) {
  const command = (name, f) => context.subscriptions.push(vscode.commands.registerCommand(name, f));
  command('kenaz.test', (uri) => run('test', uri));
  command('kenaz.bench', (uri) => run('bench', uri));
  command('kenaz.explain', (uri) => run('explain', uri));
  command('kenaz.testFile', () => run('test'));
  command('kenaz.benchFile', () => run('bench'));
  command('kenaz.explainFile', () => run('explain'));
  command('kenaz.restart', async () => {
    await stop();
    await start();
  });
  context.subscriptions.push(
    vscode.workspace.onDidChangeConfiguration(async (change) => {
      if (change.affectsConfiguration('kenaz.path')) {
        await stop();
        await start();
      }
    })
  );
  await start();
}

module.exports = { activate, deactivate: stop };
