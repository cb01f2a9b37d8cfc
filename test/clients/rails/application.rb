# The least of Rails that has its db: commands, as one file: `rake -f application.rb TASK`, or ruby -r./application PROGRAM.
# SCHEMA_FORMAT is ruby (db/schema.rb) or sql (db/structure.sql).
require 'rails'
require 'active_record/railtie'

class Photos < Rails::Application
  config.load_defaults Rails::VERSION::STRING[/\d+\.\d+/]
  config.eager_load = false
  config.logger = Logger.new($stderr)
  config.log_level = :warn
  config.active_record.schema_format = ENV.fetch('SCHEMA_FORMAT', 'ruby').to_sym
end

# In docs/clients/ruby.md:
# config/initializers/structure.rb, if that role loads structure.sql: COMMENT ON EXTENSION is for superusers
ActiveRecord::Tasks::DatabaseTasks.structure_dump_flags = ['--no-comments']
# End.

Rails.application.initialize!
require_relative 'models'

Rails.application.routes.draw do
  # In docs/clients/ruby.md:
  # config/routes.rb
  resources :photos, constraints: { id: /\d{1,19}/ }
  resources :albums, constraints: { id: /[0-9A-Za-z]{11}/ }
  # End.
end

Rails.application.load_tasks if defined?(Rake)
