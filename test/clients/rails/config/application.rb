# The least of Rails that has its db: commands. SCHEMA_FORMAT is ruby (db/schema.rb) or sql (db/structure.sql).
require 'rails'
require 'active_record/railtie'

class Photos < Rails::Application
  config.load_defaults Rails::VERSION::STRING[/\d+\.\d+/]
  config.eager_load = false
  config.logger = Logger.new($stderr)
  config.log_level = :warn
  config.active_record.schema_format = ENV.fetch('SCHEMA_FORMAT', 'ruby').to_sym
end
