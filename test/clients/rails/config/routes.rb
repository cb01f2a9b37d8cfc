Rails.application.routes.draw do
  # In docs/clients/ruby.md:
  # config/routes.rb
  resources :photos, constraints: { id: /\d{1,19}/ }
  resources :albums, constraints: { id: /[0-9A-Za-z]{11}/ }
  # End.
end
